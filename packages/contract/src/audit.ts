/** What the audit log records. The rows of the operations table say which operation is which action. */
export const AUDIT_ACTIONS = [
  'key.created',
  'key.changed',
  'key.revoked',
  'project.created',
  'project.changed',
  'metric.defined',
  'metric.changed',
  'event.removed',
  'monitor.created',
  'monitor.changed',
  'monitor.deleted',
  'webhook.created',
  'webhook.changed',
  'webhook.deleted',
  'price.changed',
  'price.deleted',
  'traces.deleted',
  'traces.restored',
  'user.deleted',
  'job.cancelled',
  'export.read',
  'session.started',
  'session.changed',
  'session.ended',
  'access.refused',
] as const
export type AuditAction = (typeof AUDIT_ACTIONS)[number]

/** What an action was done to. */
export const AUDIT_TARGETS = [
  'key',
  'project',
  'metric',
  'event',
  'monitor',
  'webhook',
  'price',
  'trace',
  'user',
  'job',
  'export',
  'session',
  'operation',
] as const
export type AuditTarget = (typeof AUDIT_TARGETS)[number]

/** `unknown`: a refused request without a valid key. `system`: the command line, and Spoor itself. */
export const AUDIT_ACTORS = ['key', 'session', 'system', 'unknown'] as const
export type AuditActor = (typeof AUDIT_ACTORS)[number]

/** Of an operation that is recorded when it succeeds. */
export interface AuditRule {
  readonly action: AuditAction
  readonly target: AuditTarget
  /** Fields of body and query whose values are recorded; of all others only the names are. */
  readonly shows: readonly string[]
}
