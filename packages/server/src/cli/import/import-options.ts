import { parseArgs } from 'node:util'
import { DEFAULT_URL, readKey, readUrl, readWhole } from '../client-options.ts'
import { UsageError } from '../command.ts'
import { isPeerName, type PeerName, PEERS } from './peers/peer.ts'
import type { Destination } from './send-trace.ts'

const FROM = Object.keys(PEERS).join(', ')

export const IMPORT_USAGE = `Usage: spoor import FILE
       spoor import -
       spoor import --from NAME FILE…
       spoor import --keep-ids FILE…

Commits the trace bodies of a JSONL file (one JSON object a line), or of standard input, to a running service. Files
that a recorder keeps while the service is away are taken too, and with --from the exports of other services.

  --keep-ids         the files are of spoor export runs, and traces and steps keep their ids; needs a key with scope admin
  --from NAME        whose export the files are: ${FROM}
  --url URL          where the service is (default: SPOOR_URL, else ${DEFAULT_URL})
  --key KEY          an API key with scope ingest (default: SPOOR_API_KEY, which other users of the machine cannot see)
  --concurrency N    lines sent at the same time, 1 to 256 (default: 16)
  --patience N       seconds to keep trying while nothing gets through (default: 300)
  --again            import the lines as new traces, although they were imported before
  --import-id ID     go on with an import begun with --again, which printed its id
  --json             print the summary as JSON
  --help             print this

The same line counts once, however often it is imported; a line that stands in the file twice is two traces.
Exit code: 0 every line is committed, 1 some are not or an export is not whole, 2 wrong usage.`

const OPTIONS = {
  from: { type: 'string' },
  'keep-ids': { type: 'boolean', default: false },
  url: { type: 'string' },
  key: { type: 'string' },
  concurrency: { type: 'string', default: '16' },
  patience: { type: 'string', default: '300' },
  again: { type: 'boolean', default: false },
  'import-id': { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

export interface ImportOptions {
  /** One without `from`. */
  readonly paths: readonly string[]
  readonly from: PeerName | null
  readonly keepIds: boolean
  readonly destination: Destination
  readonly concurrency: number
  readonly patienceMs: number
  readonly importId: string | null
  readonly json: boolean
}

export interface ImportDefaults {
  /** From the environment. */
  readonly configured: { readonly url: string | null; readonly apiKey: string | null }
  newImportId(): string
}

/** @returns null if help was requested. Throws UsageError. */
export function readImportOptions(args: readonly string[], defaults: ImportDefaults): ImportOptions | null {
  const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true })
  if (values.help) return null
  const { from = null } = values
  if (from !== null && !isPeerName(from)) throw new UsageError(`--from takes ${FROM}, not ${JSON.stringify(from)}.`)
  const keepIds = values['keep-ids']
  if (keepIds && from !== null) throw new UsageError('--keep-ids is for exports of Spoor, not for --from.')
  const takesSeveral = from !== null || keepIds
  if (positionals.length === 0 || (!takesSeveral && positionals.length > 1))
    throw new UsageError('import takes one FILE, or - for standard input; with --from or --keep-ids it takes several.')
  if (takesSeveral && (values.again || values['import-id'] !== undefined))
    throw new UsageError(
      '--again and --import-id are not for --from and --keep-ids: rows with ids count once by their ids.',
    )
  if (values.again && values['import-id'] !== undefined) {
    throw new UsageError('--again begins a new import, --import-id goes on with one: give one of them.')
  }
  const importId = values['import-id'] ?? (values.again ? defaults.newImportId() : null)
  if (importId !== null && !/^[\w.-]{1,100}$/.test(importId)) {
    throw new UsageError('--import-id takes 1 to 100 letters, digits, dots, dashes and underscores.')
  }
  const { url, apiKey } = defaults.configured
  return {
    paths: positionals,
    from,
    keepIds,
    destination: { url: readUrl(values.url ?? url ?? DEFAULT_URL), apiKey: readKey(values.key ?? apiKey, 'import') },
    concurrency: readWhole('--concurrency', values.concurrency, 256),
    patienceMs: readWhole('--patience', values.patience, 86_400) * 1000,
    importId,
    json: values.json,
  }
}
