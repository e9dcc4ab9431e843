import type { ProjectId } from '@spoor/contract/ids'
import type { Operation } from '@spoor/contract/operations/operation'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TObject, TSchema } from 'typebox'
import type { PageRequest } from '../../lib/list-page.ts'
import type { Principal } from '../connections/ports.ts'
import type { WithTimes } from './request-times.ts'

type None = Readonly<Record<never, never>>

type ParamsOf<O> = O extends { readonly pathParameters: infer S extends TObject } ? Static<S> : None

type QueryOf<O> = O extends { readonly query: infer S extends TObject } ? WithTimes<S> : None

type HeadersOf<O> = O extends { readonly headers: infer S extends TObject }
  ? { readonly [Name in keyof Static<S> & string as Lowercase<Name>]?: string }
  : None

type BodyOf<O> = O extends { readonly request: { readonly kind: 'json'; readonly schema: infer S extends TSchema } }
  ? S extends TObject
    ? WithTimes<S>
    : Static<S>
  : undefined

/** The parts of a request that are known before its body is read. */
export interface OperationHead<O extends Operation> {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly params: ParamsOf<O>
  readonly query: QueryOf<O>
  /** The headers of the operation, by lower-case name. */
  readonly headers: HeadersOf<O>
  /** `limit` and `cursor` of a list, with the default and the maximum applied. */
  readonly page: 'cursor' extends keyof QueryOf<O> ? PageRequest : null
  /** Null if the operation is public. */
  readonly principal: O['scopes'] extends null ? null : Principal
  /** The project of the principal. If the path has a `project_id`, it is the same. */
  readonly projectId: O['scopes'] extends null ? null : ProjectId
}

/** The input of an operation's handler: everything that the operation describes, validated and typed by its schemas. */
export interface OperationInput<O extends Operation> extends OperationHead<O> {
  /** Undefined without a body and for bodies of kind `bytes`: see `OperationRequest.kind`. */
  readonly body: BodyOf<O>
}
