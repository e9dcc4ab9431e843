import { type ProjectId, isId } from '@spoor/contract/ids'
import { SCOPES } from '@spoor/contract/scopes'
import type { KeyStore, StoredKey } from '../ports/access/key-store.ts'
import { createKey } from '../projects/create-key.ts'
import { newSecret } from '../projects/key-format.ts'
import { revokeKey } from '../projects/revoke-key.ts'
import {
  type CommandStores,
  type ControlCommandDependencies,
  DATA_DIR,
  JSON_FLAG,
  recordCommand,
  runParsed,
  UsageError,
  withStores,
} from './command.ts'
import { formatTable } from './control-output.ts'
import { chooseProject } from './choose-project.ts'
import { parseExpiry } from './parse-expiry.ts'
import { toKey, toWireTime } from '../wire/to-wire.ts'

const USAGE = `Usage: spoor keys list
       spoor keys create --name NAME
       spoor keys revoke KEY_ID
       spoor keys generate

  --project PROJECT  id or name (default: the only project, when there is just one)
  --name NAME        what the key is for
  --scopes A,B       of ${SCOPES.join(', ')} (default: ingest,read)
  --expires WHEN     30d, 12h, 2w, 2030-12-31 or 2030-12-31T18:00:00Z (default: never)
  --data-dir DIR     the service's data folder (default: SPOOR_DATA_DIR, else ./data)
  --json             print JSON
  --help             print this

"generate" prints a new value for SPOOR_BOOTSTRAP_KEY and stores nothing.
Works while the service runs and while it does not; a revoked key stops working at once.`

const OPTIONS = {
  project: { type: 'string' },
  name: { type: 'string' },
  scopes: { type: 'string' },
  expires: { type: 'string' },
  ...DATA_DIR,
  ...JSON_FLAG,
} as const

interface Flags {
  readonly project?: string | undefined
  readonly name?: string | undefined
  readonly scopes?: string | undefined
  readonly expires?: string | undefined
  readonly json: boolean
}

type Verb = (
  rest: readonly string[],
  flags: Flags,
  dependencies: ControlCommandDependencies,
) => (stores: CommandStores) => Promise<void>

/** `spoor keys …`. `args` are the arguments after `keys`. Returns the exit code: 0 done, 1 failed, 2 wrong usage. */
export function runKeysCommand(args: readonly string[], dependencies: ControlCommandDependencies): Promise<number> {
  const syntax = { usage: USAGE, options: OPTIONS, allowPositionals: true } as const
  return runParsed(syntax, args, dependencies, (values, [name, ...rest]) => {
    if (name === 'generate') return dependencies.print(newSecret(dependencies.randomBytes))
    const verb = VERBS.get(name ?? '')
    if (verb === undefined) {
      throw new UsageError(
        name === undefined ? 'keys needs a command: list, create, revoke or generate' : `keys has no "${name}"`,
      )
    }
    // The whole command line is checked before any file is opened.
    const work = verb(rest, values, dependencies)
    return withStores(dependencies, values['data-dir'], work)
  })
}

const list: Verb = (rest, flags, dependencies) => {
  refuseMore('list', rest)
  refuseFlags('list', flags, ['name', 'scopes', 'expires'])
  return async ({ projects, keys }) => {
    const project = await chooseProject(projects, flags.project)
    await printKeys(keys, project.id, flags.json, dependencies)
  }
}

const create: Verb = (rest, flags, dependencies) => {
  const { print, clock } = dependencies
  refuseMore('create', rest)
  const { name } = flags
  if (name === undefined) throw new UsageError('keys create needs --name NAME: what the key is for.')
  const scopes = (flags.scopes ?? 'ingest,read').split(',').map((scope) => scope.trim())
  const expiresAt = flags.expires === undefined ? null : parseExpiry(flags.expires, clock.now())
  return async (stores) => {
    const { id: projectId } = await chooseProject(stores.projects, flags.project)
    const request = { projectId, name, scopes, expiresAt, maker: null }
    const { key, secret } = await createKey({ ...dependencies, ...stores }, request)
    const detail = { name, scopes: key.scopes, expires_at: expiresAt === null ? null : toWireTime(expiresAt) }
    const target = { kind: 'key', id: key.id } as const
    await recordCommand(stores, dependencies, { projectId, action: 'key.created', target, detail })
    if (flags.json) return print(JSON.stringify({ ...toKey(key), secret }))
    print(`key ${key.id} "${key.name}" of project ${projectId} created (${key.scopes.join(', ')})`)
    print('its secret, shown only now:')
    print(secret)
  }
}

const revoke: Verb = (rest, flags, dependencies) => {
  const [keyId] = rest
  if (!isId('key', keyId) || rest.length > 1)
    throw new UsageError('keys revoke takes one KEY_ID, like key_01h2xcejqtf2nbrexx3vqjhp41.')
  refuseFlags('revoke', flags, ['name', 'scopes', 'expires'])
  return async (stores) => {
    const project = flags.project === undefined ? null : await chooseProject(stores.projects, flags.project)
    await revokeKey({ ...dependencies, ...stores }, { projectId: project?.id ?? null, keyId, mayRevokeAdmin: true })
    const projectId = (await stores.keys.find(keyId))?.projectId ?? null
    const target = { kind: 'key', id: keyId } as const
    await recordCommand(stores, dependencies, { projectId, action: 'key.revoked', target, detail: {} })
    dependencies.print(flags.json ? JSON.stringify({ id: keyId, revoked: true }) : `key ${keyId} revoked`)
  }
}

const VERBS: ReadonlyMap<string, Verb> = new Map([
  ['list', list],
  ['create', create],
  ['revoke', revoke],
])

function refuseMore(verb: string, rest: readonly string[]): void {
  if (rest.length > 0) throw new UsageError(`keys ${verb} takes nothing more: ${rest.join(' ')}`)
}

function refuseFlags(verb: string, flags: Flags, names: readonly ('name' | 'scopes' | 'expires')[]): void {
  const given = names.find((name) => flags[name] !== undefined)
  if (given !== undefined) throw new UsageError(`keys ${verb} takes no --${given}`)
}

/** All live keys of a project, expired ones marked. */
async function printKeys(
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
  if (asJson) return print(JSON.stringify({ keys: found.map(toKey) }))
  const now = clock.now()
  const rows = found.map((key) => [key.id, `…${key.lastFour}`, key.scopes.join(','), expiry(key, now), key.name])
  for (const line of formatTable(['ID', 'SECRET', 'SCOPES', 'EXPIRES', 'NAME'], rows)) print(line)
}

function expiry({ expiresAt }: StoredKey, now: number): string {
  if (expiresAt === null) return 'never'
  return expiresAt <= now ? `expired ${toWireTime(expiresAt)}` : toWireTime(expiresAt)
}
