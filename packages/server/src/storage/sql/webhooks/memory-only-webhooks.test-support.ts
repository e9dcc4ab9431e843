import { DatabaseSync } from 'node:sqlite'
import type { ProjectId } from '@spoor/contract/ids'
import { systemClock } from '../../../lib/time/clock.ts'
import { systemRandomBytes } from '../../../lib/ids/random.ts'
import { ALL_MIGRATIONS } from '../migrations/control/all-migrations.ts'
import { openWebhookStore } from './open-webhook-store.ts'
import { runMigrations } from '../run-migrations.ts'
import type { SqliteWebhookStore } from './sqlite-webhook-store.ts'

/** For tests: the real store of webhooks on a database without a file. */
export function memoryOnlyWebhooks(
  projectIds: readonly ProjectId[],
  database = new DatabaseSync(':memory:'),
): SqliteWebhookStore {
  runMigrations(database, ALL_MIGRATIONS, systemClock)
  for (const id of projectIds) database.prepare("INSERT INTO projects VALUES (?, 'a project', 0)").run(id)
  return openWebhookStore(database, { openKey: () => Buffer.alloc(32, 5), randomBytes: systemRandomBytes })
}
