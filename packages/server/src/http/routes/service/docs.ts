import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** `/docs`: the pages of the API reference. Loading their packages would be a tenth of the start. */
export async function registerDocs(app: FastifyInstance, version: string): Promise<void> {
  let pages: Promise<FastifyInstance> | undefined
  const answer = async ({ raw, headers }: FastifyRequest, reply: FastifyReply) => {
    pages ??= import('./docs-pages.ts').then(({ openDocsPages }) => openDocsPages(version))
    const page = await (await pages).inject({ method: 'GET', url: raw.url ?? '', headers })
    if (page.statusCode === 404) return reply.callNotFound()
    const { connection: _own, 'transfer-encoding': _framing, ...given } = page.headers
    return reply.code(page.statusCode).headers(given).send(page.rawPayload)
  }
  app.get('/docs', answer)
  app.get('/docs/*', answer)
}
