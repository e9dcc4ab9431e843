// Writes the tables that documents take from the code: settings, limits, metrics, errors, events. Run it after a change
// of one of those.
import { readFile, writeFile } from 'node:fs/promises'
import { DOC_TABLES, withTable } from './doc-tables/doc-tables.ts'

for (const table of DOC_TABLES) {
  const path = new URL(`../${table.page}`, import.meta.url)
  await writeFile(path, await withTable(await readFile(path, 'utf8'), table))
}
