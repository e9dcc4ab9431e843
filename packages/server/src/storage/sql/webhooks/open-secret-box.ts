import { OperatorError } from '../../../lib/operator-error.ts'
import type { RandomBytes } from '../../../lib/ids/random.ts'
import { SecretBox } from '../../../lib/secret-box.ts'
import type { SqlDatabase } from '../kit/sql-database.ts'
import type { WebhookTables } from './webhook-tables.ts'

export interface SecretKeyring {
  /** The key that secrets are sealed with. `mayMake`: no secret is sealed yet, so a new key may be generated. */
  readonly openKey: (mayMake: boolean) => Uint8Array
  readonly randomBytes: RandomBytes
}

/** Rejects with OperatorError if the key does not open the stored secrets: receivers could not verify deliveries. */
export async function openSecretBox(
  database: SqlDatabase<WebhookTables>,
  { openKey, randomBytes }: SecretKeyring,
): Promise<SecretBox> {
  const rows = await database.read(keyIdsOn(database)({}))
  const box = new SecretBox(openKey(rows.length === 0), randomBytes)
  if (rows.every((row) => row.secret_key_id === box.keyId)) return box
  throw new OperatorError(
    'The key does not open the secrets stored here. Start with the SPOOR_SECRET_KEY, or the file secrets.key, that the webhooks were created with. ' +
      'If it is lost, the webhooks are too: remove them with sqlite3 control.db "DELETE FROM webhooks" and create them again.',
  )
}

export function keyIdsOn(database: SqlDatabase<WebhookTables>) {
  return database.statement((queries) => queries.selectFrom('webhooks').select('secret_key_id').distinct())
}
