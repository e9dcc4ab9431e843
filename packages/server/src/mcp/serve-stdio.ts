import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { createMcpServer, type McpServerOptions } from './mcp-server.ts'

/** Serves on standard input and output. Resolves when either of them ends. */
export function serveMcpOverStdio(options: McpServerOptions): Promise<void> {
  return new Promise((resolve) => {
    serveStdio(() => createMcpServer(options), {
      transport: new EndingTransport(resolve),
      maxSubscriptions: 0,
      onerror: options.onError,
    })
  })
}

class EndingTransport extends StdioServerTransport {
  readonly #onEnd: () => void

  constructor(onEnd: () => void) {
    super()
    this.#onEnd = onEnd
  }

  override async close(): Promise<void> {
    await super.close()
    this.#onEnd()
  }
}
