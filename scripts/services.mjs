// The databases that tests race at: installs those that are missing where it may, one after the
// other, before tests that run side by side would all try to.   node scripts/services.mjs

import { findMariadb, findPostgres, findRedis } from './lib/services.mjs';

const found = { PostgreSQL: findPostgres(), MariaDB: findMariadb(), Redis: findRedis() };
for (const [name, program] of Object.entries(found)) console.log(`${name}: ${program ?? 'none'}`);
