import { AuditList, AuditQuery } from '../schemas/audit.ts'
import type { Operation } from './operation.ts'

export const AUDIT_OPERATIONS = {
  listAudit: {
    method: 'GET',
    path: '/v1/audit',
    tag: 'projects',
    summary: 'Read the audit log',
    description:
      'Who did what in the project, newest first, for as long as the log is kept. A key with `admin` also sees what belongs to no project: refused requests without a valid key.',
    scopes: ['manage'],
    query: AuditQuery,
    responses: { 200: { description: 'One page of entries.', content: { 'application/json': AuditList } } },
  },
} as const satisfies Record<string, Operation>
