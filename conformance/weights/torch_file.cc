// The format of torch.save: a ZIP archive. NAME/data.pkl says which tensors
// there are; NAME/data/0, NAME/data/1 and so on are their elements.
#include <algorithm>

#include "conformance/weights/checkpoint.h"
#include "conformance/weights/pickle.h"
#include "conformance/weights/zip.h"

namespace ropeproof::conformance::weights {
namespace {

constexpr std::uint64_t kMaxPickleBytes = 16 << 20;

bool is_dense(const PickledTensor& tensor) {
  if (tensor.strides.size() != tensor.shape.size()) return false;
  std::uint64_t stride = 1;
  for (std::size_t i = tensor.shape.size(); i-- > 0;) {
    if (tensor.shape[i] <= 1) continue;
    if (static_cast<std::uint64_t>(tensor.strides[i]) != stride) return false;
    stride *= static_cast<std::uint64_t>(tensor.shape[i]);
  }
  return true;
}

Tensor place(const InputFile& file, const PickledTensor& pickled,
             const std::map<std::string, Extent>& files,
             const std::string& folder) {
  Tensor tensor;
  tensor.name = pickled.name;
  tensor.type = pickled.type;
  tensor.shape.assign(pickled.shape.begin(), pickled.shape.end());
  tensor.bytes = size_of(file, tensor.name, tensor.type, tensor.shape);
  if (!is_dense(pickled)) {
    file.fail("\"" + tensor.name +
              "\" is a view with strides; save its contiguous()");
  }
  const auto found = files.find(folder + "data/" + pickled.storage);
  const auto first = static_cast<std::uint64_t>(pickled.first);
  const std::uint64_t width = tensor.type.block_bytes;
  if (found == files.end() || pickled.first < 0 ||
      first > found->second.bytes / width ||
      tensor.bytes > found->second.bytes - first * width) {
    file.fail("\"" + tensor.name + "\" is not inside its storage, \"" +
              pickled.storage + "\"; copy or download it again");
  }
  tensor.offset = found->second.offset + first * width;
  return tensor;
}

}  // namespace

void read_torch(Checkpoint& checkpoint) {
  constexpr std::string_view kPickle = "data.pkl";
  const InputFile& file = checkpoint.files.back();
  const auto files = read_zip(file);
  const auto found = std::ranges::find_if(files, [&](const auto& entry) {
    return entry.first.ends_with("/" + std::string(kPickle));
  });
  if (found == files.end()) {
    file.fail("a ZIP archive without data.pkl: no file of torch.save");
  }
  const auto [name, extent] = *found;
  const std::string folder = name.substr(0, name.size() - kPickle.size());
  if (const auto order = files.find(folder + "byteorder");
      order != files.end() &&
      file.read_text(order->second.offset, order->second.bytes) != "little") {
    file.fail("is big-endian, expected little-endian");
  }
  if (extent.bytes > kMaxPickleBytes) file.fail("a pickle of more than 16 MiB");
  const std::string pickle = file.read_text(extent.offset, extent.bytes);
  for (const PickledTensor& pickled : read_pickle(file, pickle)) {
    checkpoint.tensors.push_back(place(file, pickled, files, folder));
    checkpoint.tensors.back().file = checkpoint.files.size() - 1;
  }
}

}  // namespace ropeproof::conformance::weights
