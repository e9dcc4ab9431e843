import type { AuditList, AuditQuery } from '@spoor/contract/schemas/audit'
import { ofProject } from './client/current-project.ts'
import { pagesQuery } from './client/queries.ts'

type AuditFilters = Pick<AuditQuery, 'action'>

/** Newest first, page by page. */
export const auditQuery = (filters: AuditFilters) => pagesQuery<AuditList>(['audit', filters], '/v1/audit', filters)

/** A file with all entries that match. */
export const auditFile = ({ action }: AuditFilters) =>
  ofProject(`/v1/export?what=audit&format=jsonl${action === undefined ? '' : `&action=${action}`}`)
