import { parseArgs } from 'node:util'
import { runCommand, UsageError } from './command.ts'
import { FRAMEWORKS } from './otel/frameworks.ts'
import { printFramework } from './otel/print-framework.ts'

const DEFAULT_URL = 'http://127.0.0.1:4319'
const PLACEHOLDER = 'YOUR_KEY'

const USAGE = `Usage: spoor otel [FRAMEWORK]

Prints the environment variables and the lines that a framework needs to send its traces here. Without a framework, it
lists them.

  --url URL    address of the service as the agent reaches it (default: SPOOR_URL, else ${DEFAULT_URL})
  --key KEY    key of the agent (default: SPOOR_API_KEY, else a placeholder)
  --help       print this`

const OPTIONS = {
  url: { type: 'string' },
  key: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const

/** Dependencies that main.ts passes to the command. */
interface OtelCommandDependencies {
  /** From the environment; null what is not set. */
  readonly configured: { readonly url: string | null; readonly apiKey: string | null }
  print(line: string): void
  printError(line: string): void
}

/** `spoor otel …`. `args` are the arguments after `otel`. Returns the exit code: 0 printed, 2 wrong usage. */
export function runOtelCommand(args: readonly string[], dependencies: OtelCommandDependencies): Promise<number> {
  const { configured, print, printError } = dependencies
  return runCommand(USAGE, dependencies, async () => {
    const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true })
    if (values.help) return print(USAGE)
    const [name, ...rest] = positionals
    if (rest.length > 0) throw new UsageError(`otel takes one framework, not also ${rest.join(' ')}`)
    if (name === undefined) return list(print)
    const framework = FRAMEWORKS.find((one) => one.name === name.toLowerCase())
    if (framework === undefined) {
      throw new UsageError(`otel knows no "${name}"; it knows ${FRAMEWORKS.map((one) => one.name).join(', ')}`)
    }
    const key = values.key ?? configured.apiKey
    if (values.key === undefined && key !== null)
      printError('This prints the key of SPOOR_API_KEY. An agent needs a key with the scope ingest only.')
    const url = serviceUrl(values.url ?? configured.url ?? DEFAULT_URL)
    for (const line of printFramework(framework, { url, key: key ?? PLACEHOLDER })) print(line)
    if (key !== null) return
    print('')
    print(`# ${PLACEHOLDER} is a key with the scope ingest; this makes one:`)
    print('# npx spoor keys create --name my-agent --scopes ingest')
  })
}

function list(print: (line: string) => void): void {
  const width = Math.max(...FRAMEWORKS.map(({ name }) => name.length))
  print('spoor otel FRAMEWORK prints what the framework needs:')
  print('')
  for (const { name, title } of FRAMEWORKS) print(`  ${name.padEnd(width)}  ${title}`)
}

function serviceUrl(url: string): string {
  if (URL.canParse(url) && /^https?:/.test(url)) return url.replace(/\/+$/, '')
  throw new UsageError(`--url must be http:// or https:// and a host, not ${JSON.stringify(url)}`)
}
