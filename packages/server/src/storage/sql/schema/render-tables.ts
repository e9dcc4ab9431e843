/** Types of PostgreSQL by those of SQLite. Text is ordered by its bytes. Numbers without a fraction are BIGINT. */
const TYPES = { TEXT: 'TEXT COLLATE "C"', INTEGER: 'BIGINT', REAL: 'DOUBLE PRECISION', BLOB: 'BYTEA' } as const

const COMMENT = /^ *--.*\n/gm

/**
 * Tables of both databases, which are described once in the words of SQLite, as PostgreSQL needs them. `NUMBERED` is a
 * primary key that the database counts up; SQLite reads it as INTEGER.
 */
export function forPostgresql(tables: string): string {
  return tables
    .replaceAll(COMMENT, '')
    .replaceAll(/\bNUMBERED NOT NULL PRIMARY KEY\b/g, 'BIGINT NOT NULL PRIMARY KEY GENERATED ALWAYS AS IDENTITY')
    .replaceAll(/\b(TEXT|INTEGER|REAL|BLOB)\b/g, (type) => TYPES[type as keyof typeof TYPES])
    .replaceAll(/\) STRICT(, WITHOUT ROWID)?;/g, ');')
}

export function forSqlite(tables: string): string {
  return tables.replaceAll(COMMENT, '').replaceAll('NUMBERED NOT NULL', 'INTEGER NOT NULL')
}
