import type { ProjectId } from '@spoor/contract/ids'
import type { Operation } from '@spoor/contract/operations/operation'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TObject, TSchema } from 'typebox'
import type { PageRequest } from '../../lib/list-page.ts'
import type { Principal } from '../connections/ports.ts'

type None = Readonly<Record<never, never>>

type ParamsOf<O> = O extends { readonly pathParameters: infer S extends TObject } ? Static<S> : None

type QueryOf<O> = O extends { readonly query: infer S extends TObject } ? Static<S> : None

type HeadersOf<O> = O extends { readonly headers: infer S extends TObject }
  ? { readonly [Name in keyof Static<S> & string as Lowercase<Name>]?: string }
  : None

type BodyOf<O> = O extends { readonly request: { readonly kind: 'json'; readonly schema: infer S extends TSchema } }
  ? Static<S>
  : undefined

/** What is known of a request before its body is read. */
export interface OperationHead<O extends Operation> {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly params: ParamsOf<O>
  readonly query: QueryOf<O>
  /** Those that the operation reads, by their names in lower case, as they were sent. */
  readonly headers: HeadersOf<O>
  /** `limit` and `cursor` of a list, lowered and with what holds without them. */
  readonly page: 'cursor' extends keyof QueryOf<O> ? PageRequest : null
  /** Null where the operation is open to all. */
  readonly principal: O['scopes'] extends null ? null : Principal
  /** The project of the principal, which is the one of the path where that has a `project_id`. */
  readonly projectId: O['scopes'] extends null ? null : ProjectId
}

/** What the handler of an operation gets: all that the operation describes, checked and typed by its schemas. */
export interface OperationInput<O extends Operation> extends OperationHead<O> {
  /** Undefined without a body, and where the body is of the kind `bytes`: see `OperationRequest.kind`. */
  readonly body: BodyOf<O>
}
