import { createMcpHandler } from '@modelcontextprotocol/server'
import { createMcpServer, type McpServerOptions } from './mcp-server.ts'

/** Answers one request of the streamable HTTP transport. Nothing is kept between requests. */
export async function answerMcp(request: Request, options: McpServerOptions): Promise<Response> {
  // The list of tools never changes, so there is nothing to subscribe to.
  const handler = createMcpHandler(() => createMcpServer(options), { maxSubscriptions: 0 })
  return handler.fetch(request)
}
