import type { SplitLine } from '../../lib/lines/ndjson.ts'

/** The line that ends an export. */
const LAST_LINE = /^\{"complete":true,"rows":(\d+)\}/
const LONGEST = 64
const NUMBER_OF_PART = /-\d{5,}\.jsonl$/

/** Of `spoor export runs`. Of an export in several files, only the last one has the last line. */
export interface ExportFile {
  readonly name: string
  rows: number
  /** The rows of the whole export by its last line. Null without this line, NaN if lines follow it. */
  stated: number | null
}

/** Counts the line as a row. False for one that ends an export. */
export function countRow(file: ExportFile, line: SplitLine): boolean {
  if (file.stated !== null) file.stated = NaN
  const found = line.kind === 'line' ? LAST_LINE.exec(line.bytes.toString('latin1', 0, LONGEST)) : null
  if (found === null) file.rows += 1
  else file.stated ??= Number(found[1])
  return found === null
}

/** Why files that were read to their ends are not whole exports, in a sentence each. */
export function describeBroken(files: readonly ExportFile[]): string[] {
  return [...Map.groupBy(files, ({ name }) => name.replace(NUMBER_OF_PART, '')).values()].flatMap(describeExport)
}

function describeExport(files: readonly ExportFile[]): string[] {
  const broken = files.filter(({ rows, stated }) => rows !== stated)
  const parts = broken.filter(({ stated }) => !Number.isNaN(stated))
  // Files of one export together have the rows that its last line states.
  const lacking = parts.reduce((sum, { rows, stated }) => sum + (stated ?? 0) - rows, 0)
  const areWhole = lacking === 0 && parts.some(({ stated }) => stated !== null)
  return broken.filter((file) => !areWhole || !parts.includes(file)).map(describe)
}

function describe({ name, rows, stated }: ExportFile): string {
  if (Number.isNaN(stated)) return `${name} goes on after the line that ends an export. Give each export its own file.`
  const problem =
    stated === null
      ? `has no last line that calls its export complete: the export broke off, or lines were taken from it`
      : `has another number of rows (${rows}) than its last line states (${stated})`
  return `${name} ${problem}. Import all files of an export together.`
}
