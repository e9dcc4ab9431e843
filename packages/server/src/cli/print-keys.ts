import type { ProjectId } from '@spoor/contract/ids'
import type { KeyStore, StoredKey } from '../ports/access/key-store.ts'
import type { ControlCommandDependencies } from './command.ts'
import { formatTable, isoTime, keyJson } from './control-output.ts'

/** All live keys of a project, expired ones marked. */
export async function printKeys(
  keys: Pick<KeyStore, 'listLive'>,
  projectId: ProjectId,
  asJson: boolean,
  { print, clock }: Pick<ControlCommandDependencies, 'print' | 'clock'>,
): Promise<void> {
  const found: StoredKey[] = []
  for (;;) {
    const page = await keys.listLive(projectId, found.at(-1)?.id ?? null, 1000)
    if (page.length === 0) break
    found.push(...page)
  }
  if (asJson) return print(JSON.stringify({ keys: found.map(keyJson) }))
  const now = clock.now()
  const rows = found.map((key) => [key.id, `…${key.lastFour}`, key.scopes.join(','), expiry(key, now), key.name])
  for (const line of formatTable(['ID', 'SECRET', 'SCOPES', 'EXPIRES', 'NAME'], rows)) print(line)
}

function expiry({ expiresAt }: StoredKey, now: number): string {
  if (expiresAt === null) return 'never'
  return expiresAt <= now ? `expired ${isoTime(expiresAt)}` : isoTime(expiresAt)
}
