import { OperatorError } from '../../../lib/operator-error.ts'
import type { RandomBytes } from '../../../lib/ids/random.ts'
import { SecretBox } from '../../../lib/secret-box.ts'
import type { SqlDatabase } from '../kit/sql-database.ts'
import { SqlWebhookStore } from './sql-webhook-store.ts'
import type { WebhookTables } from './webhook-tables.ts'

export interface SecretKeyring {
  /** The key that secrets are sealed with. `mayMake`: none is sealed yet, so that a new key would do. */
  readonly openKey: (mayMake: boolean) => Uint8Array
  readonly randomBytes: RandomBytes
}

/** Rejects with OperatorError when the key does not open the secrets that are stored: better no service than one whose deliveries nobody can verify. */
export async function openWebhookStore(
  database: SqlDatabase<WebhookTables>,
  { openKey, randomBytes }: SecretKeyring,
): Promise<SqlWebhookStore> {
  const rows = await database.read(keyIdsOn(database)({}))
  const box = new SecretBox(openKey(rows.length === 0), randomBytes)
  if (rows.every((row) => row.secret_key_id === box.keyId)) return new SqlWebhookStore(database, box)
  throw new OperatorError(
    'The key does not open the secrets stored here. Start with the SPOOR_SECRET_KEY, or the file secrets.key, that their webhooks were made with. ' +
      'If it is lost, the webhooks are too: remove them with sqlite3 control.db "DELETE FROM webhooks" and make them anew.',
  )
}

export function keyIdsOn(database: SqlDatabase<WebhookTables>) {
  return database.statement((queries) => queries.selectFrom('webhooks').select('secret_key_id').distinct())
}
