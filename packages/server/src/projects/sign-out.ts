import { hashSecret } from './key-format.ts'
import type { SessionStore } from '../ports/access/session-store.ts'

/** Once it returns, the token opens nothing. */
export async function signOut(
  { sessions }: { readonly sessions: Pick<SessionStore, 'remove'> },
  token: string,
): Promise<void> {
  await sessions.remove(hashSecret(token))
}
