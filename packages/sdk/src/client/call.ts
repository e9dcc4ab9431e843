import type { Connection } from './connection.ts'
import { type OperationId, type Operations, ROUTES } from './generated/operations.ts'

export type Input<Id extends OperationId> = Omit<Operations[Id], 'answer'>
export type Query<Id extends OperationId> = Operations[Id] extends { readonly query?: infer Q } ? NonNullable<Q> : never
export type Answer<Id extends OperationId> = Operations[Id]['answer']

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  readonly headers?: Readonly<Record<string, string>>
  /** A repetition changes nothing more. By default all but `POST`. */
  readonly repeatable?: boolean
  /** How the body is written; JSON by default. */
  readonly as?: 'json' | 'ndjson'
}

/**
 * Calls one operation of the API. Numbers of an answer are JavaScript numbers: integers beyond 2^53 in metadata lose
 * digits.
 *
 * @throws ApiError
 */
export type Call = <Id extends OperationId>(
  operation: Id,
  input: Input<Id>,
  options?: CallOptions,
) => Promise<Answer<Id>>

export function callOver(connection: Connection): Call {
  return async <Id extends OperationId>(operation: Id, input: Input<Id>, options: CallOptions = {}) => {
    const { as = 'json', headers, ...others } = options
    const body = (input as { body?: unknown }).body
    const response = await connection.send({
      method: ROUTES[operation][0],
      target: targetOf(operation, input),
      ...others,
      headers: {
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': as === 'json' ? 'application/json' : 'application/x-ndjson' }),
        ...headers,
      },
      ...(body !== undefined && { body: as === 'json' ? JSON.stringify(body) : toLines(body as readonly unknown[]) }),
    })
    return (response.status === 204 ? undefined : await response.json()) as Answer<Id>
  }
}

/**
 * Path and query of an operation. Values that are undefined are left out; lists repeat their parameter; members of
 * objects are `name.key`.
 */
export function targetOf<Id extends OperationId>(operation: Id, input: Input<Id>): string {
  const { path = {}, query = {} } = input as {
    path?: Record<string, string>
    query?: Record<string, unknown>
  }
  const parameters = new URLSearchParams()
  const add = (name: string, value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) add(name, one)
    else if (typeof value === 'object' && value !== null)
      for (const [key, one] of Object.entries(value)) add(`${name}.${key}`, one)
    else if (value !== undefined) parameters.append(name, String(value))
  }
  for (const [name, value] of Object.entries(query)) add(name, value)
  const filled = ROUTES[operation][1].replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''))
  return parameters.size === 0 ? filled : `${filled}?${parameters.toString()}`
}

function toLines(rows: readonly unknown[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('')
}
