// A store like `world.fencedStore`, for one process. Stores that outlive one are guarded where they
// are: see docs/fencing.md.

import { HoldfastError } from 'holdfast';
import { memoryFence } from 'holdfast/fence';

/** `first` is what is read before the first write. */
export function fencedStore(name, first = null) {
  const fence = memoryFence();
  const store = { value: first, read, write };
  async function read() {
    return store.value;
  }
  async function write({ token, value }) {
    try {
      fence.write(name, { token }, () => {
        store.value = value;
      });
      return 'written';
    } catch (error) {
      if (HoldfastError.is(error) && error.code === 'STALE_TOKEN') return 'stale';
      throw error;
    }
  }
  return store;
}
