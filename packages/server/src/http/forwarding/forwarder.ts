import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import { Writable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ProjectId } from '@spoor/contract/ids'
import { SAFE_METHODS } from '@spoor/contract/operations/operation'
import { DomainError } from '../../lib/domain-error.ts'
import {
  type AnswerHead,
  type Forwarding,
  type NodeRequest,
  NodeSilentError,
  NotReachedError,
  type OtherNode,
} from '../../ports/nodes/nodes.ts'
import type { Pace } from '../connections/pace.ts'
import { endWhenSlow } from '../connections/slow-readers.ts'
import { bodyRules } from '../bodies/read-rules.ts'
import { bodyChunks, ClientGone } from '../bodies/request-body.ts'
import type { HttpDependencies } from '../kernel/dependencies.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Commits nothing, so the node that receives it answers it, whoever owns the project. */
    runsAnywhere?: boolean
  }
}

/** A proof that a node of this cluster has sent the request. */
const FORWARDED = 'x-spoor-forwarded'
const PURPOSE = 'spoor forwarded request 1'
/** The node that owns the project refuses slow bodies; this ends connections of clients that left without a word. */
const PACE: Pace = { bytes: 1, waitMs: 120_000 }
/** Of one connection, or replaced by this node. */
const NOT_PASSED_ON: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-request-id',
  FORWARDED,
])

/** An answer of another node, read whole. */
export interface ForwardedAnswer {
  readonly head: AnswerHead
  readonly body: Buffer
}

/**
 * Sends requests that write to the node that commits for their project, as they are and in both directions as they
 * come. That node authenticates them again. What it receives from another node it never forwards, so nodes that
 * disagree about the owner cost one more hop at most.
 *
 * If no connection to the owner can be made, another node is chosen, at last this one. If the answer of the owner does
 * not come, the request is answered with `storage_unavailable`, as it may have been committed. If the owner does not
 * answer probes either, another node is chosen for the next ones.
 */
export class Forwarder {
  readonly #forwarding: Forwarding
  readonly #key: KeyObject
  readonly #dependencies: HttpDependencies

  constructor(forwarding: Forwarding, dependencies: HttpDependencies) {
    this.#forwarding = forwarding
    this.#key = createSecretKey(forwarding.key)
    this.#dependencies = dependencies
  }

  /** Whether another node has forwarded the request. Throws `bad_request` if it only says so. */
  isForwarded({ headers, method, originalUrl, id }: FastifyRequest): boolean {
    const { [FORWARDED]: sent } = headers
    if (sent === undefined) return false
    const proof = Buffer.from(this.#prove(method, originalUrl, id))
    const given = Buffer.from(String(sent))
    if (given.length === proof.length && timingSafeEqual(given, proof)) return true
    throw new DomainError(
      'bad_request',
      `${FORWARDED} is not of a node of this cluster. All nodes must have the same SPOOR_SECRET_KEY.`,
    )
  }

  /** False: it was not sent anywhere, and this node handles it. Else it is answered. */
  async forward(request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
    const { principal, method, raw, routeOptions, originalUrl, id } = request
    if (principal === null || SAFE_METHODS.has(method) || routeOptions.config.runsAnywhere === true) return false
    const { timers, instruments } = this.#dependencies
    const sent = {
      method,
      path: originalUrl,
      headers: passedOn(raw.rawHeaders),
      body: hasBody(raw.headers) ? bodyChunks(raw, { ...bodyRules(this.#dependencies), pace: PACE }) : null,
    }
    try {
      return await this.#send(principal.projectId, id, sent, ({ status, headers }, { holder }) => {
        reply.hijack()
        endWhenSlow(reply.raw, timers, instruments.requests.slowReaderEnded)
        const own = Object.entries(headers).filter(([name]) => !NOT_PASSED_ON.has(name) || name === 'x-request-id')
        return reply.raw.writeHead(status, {
          ...Object.fromEntries(own),
          'x-spoor-node': holder,
        } as OutgoingHttpHeaders)
      })
    } catch (error) {
      // Nothing more can be said on a connection whose answer broke off.
      if (reply.sent) return true
      throw error
    }
  }

  isForOther(projectId: ProjectId): boolean {
    return this.#forwarding.nodes.ownerOf(projectId) !== null
  }

  /** Null: it was not sent anywhere, and this node handles it. */
  async forwardExport(
    projectId: ProjectId,
    requestId: string,
    { path, headers, body }: Omit<NodeRequest, 'method'>,
  ): Promise<ForwardedAnswer | null> {
    const chunks: Buffer[] = []
    let head: AnswerHead | null = null
    const collect = (answered: AnswerHead) => {
      head = answered
      return new Writable({ write: (chunk: Buffer, _encoding, done) => (chunks.push(chunk), done()) })
    }
    const isSent = await this.#send(projectId, requestId, { method: 'POST', path, headers, body }, collect)
    return isSent && head !== null ? { head, body: Buffer.concat(chunks) } : null
  }

  async #send(
    projectId: ProjectId,
    requestId: string,
    request: NodeRequest,
    begin: (head: AnswerHead, node: OtherNode) => Writable,
  ): Promise<boolean> {
    const { nodes, client, outcomes } = this.#forwarding
    const { method, path } = request
    const own = ['x-request-id', requestId, FORWARDED, this.#prove(method, path, requestId)]
    const sent = { ...request, headers: [...request.headers, ...own] }
    for (let node = nodes.ownerOf(projectId); node !== null; node = nodes.ownerOf(projectId)) {
      const owner = node
      try {
        await client.send(owner, sent, (head) => begin(head, owner))
        outcomes.answered += 1
        return true
      } catch (error) {
        if (error instanceof NodeSilentError) nodes.setUnreachable(owner)
        if (!(error instanceof NotReachedError)) throw this.#failed(error, owner)
        this.#dependencies.logger.warn({ error, node: owner }, 'another node cannot be reached')
        nodes.setUnreachable(owner)
        outcomes.unreachable += 1
      }
    }
    return false
  }

  #failed(error: unknown, node: OtherNode): unknown {
    // Of the body of the client.
    if (error instanceof DomainError || error instanceof ClientGone) return error
    this.#dependencies.logger.warn({ error, node }, 'another node did not answer')
    this.#forwarding.outcomes.unknown += 1
    const detail = 'The node that commits for this project did not answer: the request may be stored or not.'
    return new DomainError('storage_unavailable', detail, {
      retryAfterSeconds: 1,
      isOutcomeUnknown: true,
      cause: error,
    })
  }

  #prove(method: string, path: string, requestId: string): string {
    const claim = `${PURPOSE}\n${requestId}\n${method} ${path}`
    return createHmac('sha256', this.#key).update(claim).digest('base64url')
  }
}

/** Names and values alternate. */
function passedOn(rawHeaders: readonly string[]): string[] {
  return rawHeaders.filter((_, at) => !NOT_PASSED_ON.has((rawHeaders[at - (at % 2)] as string).toLowerCase()))
}

function hasBody({ 'content-length': length, 'transfer-encoding': encoding }: IncomingHttpHeaders): boolean {
  return encoding !== undefined || (length !== undefined && length !== '0')
}
