import type { DatabaseSync } from 'node:sqlite'
import { OperatorError } from '../../../lib/operator-error.ts'
import type { RandomBytes } from '../../../lib/ids/random.ts'
import { SecretBox } from '../../../lib/secret-box.ts'
import type { OnReadError } from '../sqlite-error.ts'
import { SqliteWebhookStore } from './sqlite-webhook-store.ts'

export interface SecretKeyring {
  /** The key that secrets are sealed with. `mayMake`: none is sealed yet, so that a new key would do. */
  readonly openKey: (mayMake: boolean) => Uint8Array
  readonly randomBytes: RandomBytes
}

/** Throws OperatorError when the key does not open the secrets that are stored: better no service than one whose deliveries nobody can verify. */
export function openWebhookStore(
  database: DatabaseSync,
  { openKey, randomBytes }: SecretKeyring,
  onReadError?: OnReadError,
): SqliteWebhookStore {
  const rows = database.prepare('SELECT DISTINCT secret_key_id AS id FROM webhooks').all()
  const box = new SecretBox(openKey(rows.length === 0), randomBytes)
  if (rows.every(({ id }) => id === box.keyId)) return new SqliteWebhookStore(database, box, onReadError)
  throw new OperatorError(
    'The key does not open the secrets stored here. Start with the SPOOR_SECRET_KEY, or the file secrets.key, that their webhooks were made with. ' +
      'If it is lost, the webhooks are too: remove them with sqlite3 control.db "DELETE FROM webhooks" and make them anew.',
  )
}
