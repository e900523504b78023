"""Writes an SPDX document of an installation: its files, and what they were built with.

  sbom.py VERSION FOLDER

Versions and licences' texts are those of Debian's packages; a package that Debian's tools do
not know on this machine is left out of the document, and said so on standard error.
"""

import datetime
import hashlib
import json
import os
import pathlib
import subprocess
import sys

version, folder = sys.argv[1], pathlib.Path(sys.argv[2])
LINKED = ("libmpfi-dev", "libmpfr-dev", "libgmp-dev", "libssl-dev", "libhwy-dev",
          "nlohmann-json3-dev", "libcli11-dev", "libboost1.81-dev", "libboost-dev", "libgomp1",
          "libstdc++6")


def package(identifier, name, of_version, **more):
    return {"SPDXID": f"SPDXRef-{identifier}", "name": name, "versionInfo": of_version,
            "downloadLocation": "NOASSERTION", "licenseConcluded": "NOASSERTION",
            "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION", **more}


packages = [package("ropeproof", "ropeproof", version, licenseDeclared="Apache-2.0")]
relations = [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-ropeproof")]
for name in LINKED:
    asked = subprocess.run(["dpkg-query", "-W", "-f=${Version}", name], capture_output=True,
                           text=True)
    if asked.returncode != 0 or not asked.stdout:
        print(f"sbom: {name} is not installed here", file=sys.stderr)
        continue
    identifier = name.replace("+", "-")
    packages.append(package(identifier, name, asked.stdout))
    relations.append(("SPDXRef-ropeproof", "DEPENDS_ON", f"SPDXRef-{identifier}"))
files = []
for path in sorted(p for p in folder.rglob("*") if p.is_file()):
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    files.append({"SPDXID": f"SPDXRef-file-{len(files)}",
                  "fileName": f"./{path.relative_to(folder)}",
                  "checksums": [{"algorithm": "SHA256", "checksumValue": digest}]})
    relations.append(("SPDXRef-ropeproof", "CONTAINS", files[-1]["SPDXID"]))
seconds = int(os.environ.get("SOURCE_DATE_EPOCH", 0)) or None
now = (datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc) if seconds
       else datetime.datetime.now(datetime.timezone.utc))
json.dump({
    "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
    "name": f"ropeproof-{version}",
    "documentNamespace": f"https://spdx.org/spdxdocs/ropeproof-{version}-"
    + hashlib.sha256(json.dumps(files).encode()).hexdigest(),
    "creationInfo": {"created": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
                     "creators": ["Tool: ropeproof tools/setup/sbom.py"]},
    "packages": packages, "files": files,
    "relationships": [{"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b}
                      for a, kind, b in relations],
}, sys.stdout, indent=1)
print()
