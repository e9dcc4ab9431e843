import type { Client } from './client.ts'

/** One operation of the running service's document. */
export interface LiveOperation {
  readonly operationId: string
  /** Upper case. */
  readonly method: string
  /** Parameters are `{name}`. */
  readonly path: string
  readonly requestContentType: string | null
  /** Alternatives, each with the names of its schemes. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>
}

interface Described {
  readonly operationId: string
  readonly security: LiveOperation['security']
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> }
  readonly responses: LiveOperation['responses']
}

export interface LiveDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
}

export async function readLiveDocument(client: Client): Promise<LiveDocument> {
  return (await client.get('/openapi.json')).json<LiveDocument>()
}

export function operationsOf(document: LiveDocument): readonly LiveOperation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId, requestBody, security, responses }]) => ({
      operationId,
      method: method.toUpperCase(),
      path,
      requestContentType: Object.keys(requestBody?.content ?? {})[0] ?? null,
      security,
      responses,
    })),
  )
}

/** Replaces `{name}` by values; throws if one is missing, so that a new kind of id is not overlooked. */
export function fillPath(path: string, value: (name: string, path: string) => string): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => value(name, path))
}
