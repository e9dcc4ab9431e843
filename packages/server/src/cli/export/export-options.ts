import { EXPORT_FORMATS, EXPORTED, type ExportFormat, type Exported } from '@spoor/contract/schemas/export-query'
import { DEFAULT_URL, readKey, readUrl, readWhole } from '../client-options.ts'
import { UsageError } from '../command.ts'

export const EXPORT_USAGE = `Usage: spoor export WHAT [--FILTER VALUE …]

Writes all rows of a list of a running service. WHAT is ${EXPORTED.join(', ')}.
runs are whole traces, as spoor import --keep-ids takes them.

  --format FORMAT    ${Object.keys(EXPORT_FORMATS).join(', ')} (default: jsonl)
  --out FILE         write FILE, which must not exist (default: standard output)
  --to TARGET        write files of about one size to a folder or s3://BUCKET/PREFIX (as jsonl)
  --part-mb N        their size, 1 to 1024 MB (default: 64)
  --query QUERY      filters as in the address of the API: 'status=error&model=gpt-4o'
  --patience N       seconds to keep trying while nothing comes (default: 300)
  --url URL          where the service is (default: SPOOR_URL, else ${DEFAULT_URL})
  --key KEY          an API key with scope read (default: SPOOR_API_KEY, which other users of the machine cannot see)
  --help             print this

Every other flag is a parameter of the list, such as --status error, --min-duration-ms 500, --argument.city Lisbon,
--meta_key env --meta_value prod or --sort cost_usd; a repeated one has several values.

While an export runs, its rows are in FILE.part; FILE is there when it is complete. After a broken connection, an export
as jsonl goes on behind its last row, also when the command is run again; one as csv or parquet begins again if it has a
FILE. Standard output that is complete ends with exit code 0. An export with --to goes on behind its last whole file when
the command is run again. Buckets take the settings SPOOR_S3_ENDPOINT, SPOOR_S3_REGION, SPOOR_S3_ACCESS_KEY_ID and
SPOOR_S3_SECRET_ACCESS_KEY.
Exit code: 0 all rows are written, 1 not all are, 2 wrong usage.`

export interface ExportOptions {
  readonly what: Exported
  readonly format: ExportFormat
  /** Null: standard output. */
  readonly path: string | null
  /** Files of `partBytes` in a folder or a bucket, instead of `path`. */
  readonly to: string | null
  readonly partBytes: number
  /** Parameters of the list. */
  readonly parameters: URLSearchParams
  readonly url: string
  readonly key: string
  readonly patienceMs: number
}

const OWN = ['format', 'out', 'to', 'part-mb', 'query', 'patience', 'url', 'key'] as const
type Own = (typeof OWN)[number]
const MOST_PATIENCE_S = 86_400
const MOST_PART_MB = 1024
const MEGABYTE = 1024 * 1024

/** @returns null if help was requested. Throws UsageError. */
export function readExportOptions(
  args: readonly string[],
  configured: { readonly url: string | null; readonly apiKey: string | null },
): ExportOptions | null {
  if (args.includes('--help') || args.includes('-h')) return null
  const own: Partial<Record<Own, string>> = {}
  const flags: (readonly [name: string, value: string])[] = []
  const positionals: string[] = []
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] as string
    if (!arg.startsWith('--')) {
      positionals.push(arg)
      continue
    }
    const [, flag = '', given] = /^--([^=]*)(?:=(.*))?$/s.exec(arg) ?? []
    const value = given ?? args[++at]
    if (flag === '' || value === undefined) throw new UsageError(`${arg} needs a value.`)
    const name = OWN.find((each) => each === flag)
    if (name === undefined) flags.push([parameterOf(flag), value])
    else if (own[name] !== undefined) throw new UsageError(`--${name} is given twice.`)
    else own[name] = value
  }
  const parameters = new URLSearchParams(own.query ?? '')
  for (const [name, value] of flags) parameters.append(name, value)
  for (const name of ['what', 'format', 'limit', 'cursor'])
    if (parameters.has(name)) throw new UsageError(`\`${name}\` is no filter: an export has all rows of the list.`)
  const [what] = positionals
  const format = own.format ?? 'jsonl'
  if (positionals.length !== 1 || !isOneOf(EXPORTED, what)) {
    throw new UsageError(`export takes one of ${EXPORTED.join(', ')}.`)
  }
  if (!isOneOf(Object.keys(EXPORT_FORMATS) as ExportFormat[], format)) {
    throw new UsageError(`--format takes ${Object.keys(EXPORT_FORMATS).join(', ')}, not ${JSON.stringify(format)}.`)
  }
  if (what === 'runs' && format !== 'jsonl') throw new UsageError('runs are exported as jsonl alone.')
  if (own.to !== undefined && (own.out !== undefined || format !== 'jsonl'))
    throw new UsageError('--to writes jsonl, and not with --out.')
  if (own.to === undefined && own['part-mb'] !== undefined) throw new UsageError('--part-mb needs --to.')
  return {
    what,
    format,
    path: own.out ?? null,
    to: own.to ?? null,
    partBytes: readWhole('--part-mb', own['part-mb'] ?? '64', MOST_PART_MB) * MEGABYTE,
    parameters,
    url: readUrl(own.url ?? configured.url ?? DEFAULT_URL),
    key: readKey(own.key ?? configured.apiKey, 'export', ' --scopes read'),
    patienceMs: readWhole('--patience', own.patience ?? '300', MOST_PATIENCE_S) * 1000,
  }
}

/** Keys of arguments and metadata are names of the user; all others have underscores. */
function parameterOf(flag: string): string {
  const [name = '', ...rest] = flag.split('.')
  return [name.replaceAll('-', '_'), ...rest].join('.')
}

function isOneOf<Name extends string>(names: readonly Name[], name: string | undefined): name is Name {
  return (names as readonly (string | undefined)[]).includes(name)
}
