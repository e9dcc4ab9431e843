import { type SendApiRequest, ToolError } from '../mcp/api.ts'
import { DEFAULT_URL, readKey, readUrl } from './client-options.ts'
import { type Printer, runParsed } from './command.ts'

const ANSWER_TIMEOUT_MS = 60_000

const USAGE = `Usage: spoor mcp

Serves the tools of a running service to an agent, as MCP over standard input and output. The agent starts it.

  --url URL    where the service is (default: SPOOR_URL, else ${DEFAULT_URL})
  --key KEY    an API key with scope read (default: SPOOR_API_KEY, which other users of the machine cannot see)
  --help       print this

Recording metric events and flagging traces needs scope ingest too. Without it, text in a trace cannot talk the agent
into changing anything. Exit code: 0 the agent ended it, 2 wrong usage.`

const SYNTAX = { usage: USAGE, options: { url: { type: 'string' }, key: { type: 'string' } } } as const

interface McpCommandDependencies extends Printer {
  /** From the environment; null what is not set. */
  readonly configured: { readonly url: string | null; readonly apiKey: string | null }
  readonly version: string
}

/** `spoor mcp …`. Standard output is for the protocol alone. */
export function runMcpCommand(args: readonly string[], dependencies: McpCommandDependencies): Promise<number> {
  const { configured, version, printError } = dependencies
  return runParsed(SYNTAX, args, dependencies, async (values) => {
    const key = readKey(values.key ?? configured.apiKey, 'mcp', ' --scopes read')
    const send = sendOverHttp(readUrl(values.url ?? configured.url ?? DEFAULT_URL), key)
    const { serveMcpOverStdio } = await import('../mcp/serve-stdio.ts')
    await serveMcpOverStdio({ version, send, onError: (error) => printError(`spoor mcp: ${String(error)}`) })
  })
}

export function sendOverHttp(url: string, key: string): SendApiRequest {
  return async ({ method, path, query, body }) => {
    const target = `${url}${path}${query === undefined || query.size === 0 ? '' : `?${query.toString()}`}`
    try {
      const answer = await fetch(target, {
        method,
        headers: { 'x-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { body }),
        redirect: 'manual',
        signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
      })
      const retryAfter = answer.headers.get('retry-after')
      return { status: answer.status, body: await answer.text(), retryAfter }
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
      throw new ToolError(`No service answers at ${url}: ${cause instanceof Error ? cause.message : String(cause)}`, {
        cause: error,
      })
    }
  }
}
