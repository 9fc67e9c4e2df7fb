import { expect, test } from 'vitest';
import { connect } from '../../src/index.ts';

test.each([[], ['127.0.0.1:7101']])(
  'connect(%j) is INVALID and says what is expected',
  async (...args) => {
    await expect(Reflect.apply(connect, null, args)).rejects.toMatchObject({
      code: 'INVALID',
      message: expect.stringContaining('connect expects options such as'),
    });
  },
);
