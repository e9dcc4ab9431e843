import type { SqlDatabase } from '../kit/sql-database.ts'
import { blobStatementsOn } from './blob-statements.ts'
import { mediaStatementsOn } from './media-statements.ts'
import type { MediaTables } from './media-tables.ts'
import { uploadStatementsOn } from './upload-statements.ts'

export type MediaSql = ReturnType<typeof mediaSqlOn>

export function mediaSqlOn(database: SqlDatabase<MediaTables>) {
  return { ...blobStatementsOn(database), ...mediaStatementsOn(database), ...uploadStatementsOn(database) }
}
