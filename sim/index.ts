/// <reference lib="esnext.disposable" preserve="true" />
// The package's entry `holdfast/sim`: the cluster and the user's own code under virtual time.

import { HoldfastError } from '../src/base/error.ts';

export { HoldfastError };
