import type { Fields } from '@spoor/payloads/json'
import { langfuseBatch } from './langfuse.ts'
import { langsmithRuns } from './langsmith.ts'
import { phoenixSpans } from './phoenix.ts'

/** How rows of another service become requests to the routes that take what its own senders send. */
export interface Peer {
  /** The path below the address of the service; null for a row that it has no route for. */
  readonly pathOf: (body: Buffer) => string | null
  /** The body of the request. Throws BadRow. Null: a line of the file is a body already. */
  readonly toBody: ((row: Fields) => unknown) | null
}

const OTLP_PATHS: Readonly<Record<string, string>> = {
  resourceSpans: 'otlp/v1/traces',
  resourceLogs: 'otlp/v1/logs',
}
const OTLP_START = /^\s*\{\s*"(\w+)"\s*:/
const LONGEST_START = 64

export const PEERS = {
  langfuse: { pathOf: () => 'api/public/ingestion', toBody: langfuseBatch },
  phoenix: { pathOf: () => 'otlp/v1/traces', toBody: phoenixSpans },
  langsmith: { pathOf: () => 'runs/batch', toBody: langsmithRuns },
  otlp: {
    pathOf: (body) => OTLP_PATHS[OTLP_START.exec(body.toString('latin1', 0, LONGEST_START))?.[1] ?? ''] ?? null,
    toBody: null,
  },
} as const satisfies Readonly<Record<string, Peer>>

export type PeerName = keyof typeof PEERS

export function isPeerName(name: string): name is PeerName {
  return Object.hasOwn(PEERS, name)
}
