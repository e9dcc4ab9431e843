import { Api, type SendApiRequest, ToolError } from '../mcp/api.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { DEFAULT_URL, readUrl } from './client-options.ts'
import { type Printer, runParsed, UsageError } from './command.ts'
import { FRAMEWORKS } from './connect/frameworks.ts'
import { printFramework } from './connect/print-framework.ts'

const PLACEHOLDER = 'YOUR_KEY'
const PAUSE_S = 1
const LONGEST_WAIT_S = 600

const USAGE = `Usage: spoor connect [FRAMEWORK]

Prints the environment variables and the lines that a framework needs to send its traces here. Then, in a terminal and
with a key, it waits for the first trace and prints its address; if SPOOR_API_KEY is set, it looks with that key, which
needs the scope read. Without a framework, it lists them.

  --url URL    address of the service as the agent reaches it (default: SPOOR_URL, else ${DEFAULT_URL})
  --key KEY    key of the agent (default: SPOOR_API_KEY, else a placeholder)
  --check      wait for the first trace wherever it runs; --no-check: do not wait
  --help       print this

Exit code: 0 printed, or a trace came; 1 none came within ${LONGEST_WAIT_S / 60} minutes, 2 wrong usage.`

const OPTIONS = { url: { type: 'string' }, key: { type: 'string' }, check: { type: 'boolean' } } as const

interface ConnectCommandDependencies extends Printer {
  /** From the environment; null what is not set. */
  readonly configured: { readonly url: string | null; readonly apiKey: string | null }
  readonly isTerminal: boolean
  /** Requests to the service at this address with this key. */
  readonly send: (url: string, key: string) => SendApiRequest
  readonly pause: (ms: number) => Promise<void>
}

/** `spoor connect …`. `args` are the arguments after `connect`. Returns the exit code. */
export function runConnectCommand(args: readonly string[], dependencies: ConnectCommandDependencies): Promise<number> {
  const { configured, isTerminal, print, printError } = dependencies
  const syntax = { usage: USAGE, options: OPTIONS, allowPositionals: true, allowNegative: true } as const
  return runParsed(syntax, args, dependencies, async (values, [name, ...rest]) => {
    if (rest.length > 0) throw new UsageError(`connect takes one framework, not also ${rest.join(' ')}`)
    if (name === undefined) return list(print)
    const framework = FRAMEWORKS.find((one) => one.name === name.toLowerCase())
    if (framework === undefined) {
      throw new UsageError(`connect knows no "${name}"; it knows ${FRAMEWORKS.map((one) => one.name).join(', ')}`)
    }
    const key = values.key ?? configured.apiKey
    if (key === null && values.check === true) throw new UsageError('--check needs a key: SPOOR_API_KEY or --key')
    if (values.key === undefined && key !== null)
      printError('This prints the key of SPOOR_API_KEY. An agent needs a key with the scope ingest only.')
    const url = readUrl(values.url ?? configured.url ?? DEFAULT_URL)
    for (const line of printFramework(framework, { url, key: key ?? PLACEHOLDER })) print(line)
    if (key !== null)
      return (values.check ?? isTerminal) ? waitForTrace(dependencies, url, configured.apiKey ?? key) : undefined
    print('')
    print(`# ${PLACEHOLDER} is a key with the scope ingest; this makes one:`)
    print('# npx spoor keys create --name my-agent --scopes ingest')
  })
}

async function waitForTrace({ send, pause, print, printError }: ConnectCommandDependencies, url: string, key: string) {
  printError('Waiting for the first trace; run your agent now.')
  try {
    const found = await firstTrace(new Api(send(url, key)), pause)
    if (found === null)
      throw new OperatorError('No trace came. The guide says what to try: docs/guide/opentelemetry.md')
    const { name, step_count: steps, id } = found
    print(`received "${name}" (${steps} ${steps === 1 ? 'step' : 'steps'}): ${url}/app/traces/${id}`)
  } catch (error) {
    if (error instanceof ToolError) throw new OperatorError(`Cannot look for it: ${error.message}`, { cause: error })
    throw error
  }
}

/** Of the list of traces. */
interface Listed {
  readonly id: string
  readonly name: string
  readonly step_count: number
}

/** The first trace that is there and was not before; null if none came. */
async function firstTrace(api: Api, pause: ConnectCommandDependencies['pause']): Promise<Listed | null> {
  const query = new URLSearchParams({ limit: '1' })
  const newest = async () => (await api.get<{ readonly traces: readonly Listed[] }>('/v1/traces', query)).traces[0]
  const before = (await newest())?.id
  for (let waited = 0; waited < LONGEST_WAIT_S; waited += PAUSE_S) {
    await pause(PAUSE_S * 1000)
    const now = await newest()
    if (now !== undefined && now.id !== before) return now
  }
  return null
}

function list(print: (line: string) => void): void {
  const width = Math.max(...FRAMEWORKS.map(({ name }) => name.length))
  print('spoor connect FRAMEWORK prints what the framework needs:')
  print('')
  for (const { name, title } of FRAMEWORKS) print(`  ${name.padEnd(width)}  ${title}`)
}
