import { createHash } from 'node:crypto'

/** An OpenAI-compatible service that the operator names. */
export interface ModelEndpoint {
  /** `http` or `https`: up to `/v1`, or the address of the operation itself. */
  readonly url: string
  readonly model: string
  /** MUST NOT be logged or shown. */
  readonly apiKey: string | null
}

export type EndpointOperation = 'embeddings' | 'chat/completions'

/**
 * The address of the operation: the given address if it ends with the operation, else with the operation added to its
 * path.
 */
export function addressOf({ url }: ModelEndpoint, operation: EndpointOperation): string {
  const address = new URL(url)
  const path = address.pathname.replace(/\/+$/, '')
  address.pathname = path.endsWith(`/${operation}`) ? path : `${path}/${operation}`
  return address.href
}

/** Distinguishes it from other endpoints and models: 32 hex digits. */
export function sourceOf(endpoint: ModelEndpoint, operation: EndpointOperation): string {
  const text = `${addressOf(endpoint, operation)}\n${endpoint.model}`
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}
