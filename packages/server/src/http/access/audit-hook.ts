import { hash } from 'node:crypto'
import { isId, type ProjectId } from '@spoor/contract/ids'
import type { AuditRule } from '@spoor/contract/audit'
import { isFields } from '@spoor/payloads/json'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AuditUseCases, NewAuditEntry } from '../../audit/audit-log.ts'
import type { Timers } from '../../lib/time/timers.ts'
import { queryPairs } from '../kernel/query.ts'
import { recordRefusals } from './refusal-count.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** As `Operation.audit`. */
    audit?: AuditRule
  }
  interface FastifyRequest {
    /** Of the audit log: the body that the operation read, and the id in its answer. Null: it is not recorded. */
    audited: { body: unknown; answerId: unknown } | null
  }
}

/** Longest value in an entry, characters of JSON; of longer ones a summary is recorded. */
const VALUE_LENGTH = 2000

/**
 * The one place that writes entries for requests: before the answer is sent, for each operation with `audit` that
 * succeeded, and for each request that was refused for its key, scope or origin.
 */
export function auditRequests(app: FastifyInstance, audit: AuditUseCases, timers: Timers): void {
  const recordRefusal = recordRefusals(audit, () => timers.now())
  app.decorateRequest('audited', null)
  app.addHook('preSerialization', async (request, _reply, payload) => {
    const made = payload as { id?: unknown; job_id?: unknown } | null
    if (request.audited !== null) request.audited.answerId = made?.id ?? made?.job_id
    return payload
  })
  app.addHook('onSend', async (request, reply, payload) => {
    const { audit: rule } = request.routeOptions.config
    const { statusCode: status } = reply
    if (rule !== undefined && request.audited !== null && status < 300) await audit.record(entryOf(request, rule))
    if (status === 401 || status === 403) {
      const { ip, method, principal, routeOptions } = request
      const operation = `${method} ${routeOptions.url ?? 'unmatched'}`
      // In the log of the sender's own project: whoever is refused writes nothing into that of another.
      const head = { ...headOf(request), projectId: principal?.projectId ?? null }
      await recordRefusal(head, { operation, status, address: ip })
    }
    return payload
  })
}

function entryOf(request: FastifyRequest, { action, target, shows }: AuditRule): NewAuditEntry {
  const sent: Record<string, unknown> = {
    ...Object.fromEntries(queryPairs(request.url)),
    ...(request.audited?.body as object | undefined),
  }
  const names = Object.keys(sent)
  const shown = names.filter((name) => shows.includes(name))
  const others = names.filter((name) => !shown.includes(name))
  return {
    ...headOf(request),
    action,
    target: { kind: target, id: targetOf(request) },
    detail: {
      ...Object.fromEntries(shown.map((name) => [name, printed(name, sent[name])])),
      ...(others.length > 0 && { other_fields: others.slice(0, 100) }),
    },
  }
}

/** Times of a body are read as milliseconds: see `compileTimes`. */
function printed(name: string, value: unknown): unknown {
  const json = JSON.stringify(value)
  if (json.length > VALUE_LENGTH) return summaryOf(value, json)
  return typeof value === 'number' && name.endsWith('_time') ? new Date(value).toISOString() : value
}

/** Whether two long values are the same, and how long their lists are. */
function summaryOf(value: unknown, json: string) {
  const lists = isFields(value) ? Object.entries(value).filter(([, list]) => Array.isArray(list)) : []
  const counts = Object.fromEntries(lists.map(([name, list]) => [name, (list as readonly unknown[]).length]))
  return { characters: json.length, sha256: hash('sha256', json), ...(lists.length > 0 && { counts }) }
}

/** The user of the path, the id in the answer, or the last id or name of the path. */
function targetOf({ params, audited }: FastifyRequest): string | null {
  const { project_id: _project, user_id: userId, ...own } = params as Record<string, string>
  if (userId !== undefined) return userId
  return typeof audited?.answerId === 'string' ? audited.answerId : (Object.values(own).at(-1) ?? null)
}

function headOf({ principal, session, params, id: requestId }: FastifyRequest) {
  // An admin changes keys of other projects: their log has it.
  const named = (params as { id?: unknown } | undefined)?.id
  const projectId: ProjectId | null = principal !== null && isId('proj', named) ? named : (principal?.projectId ?? null)
  const kind = principal === null ? 'unknown' : session === null ? 'key' : 'session'
  return { projectId, actor: { kind, id: principal?.keyId ?? null }, requestId } as const
}
