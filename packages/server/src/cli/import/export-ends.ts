import type { SplitLine } from '../../lib/lines/ndjson.ts'

/** The line that ends an export. */
const LAST_LINE = /^\{"complete":(?:false|true,"rows":(\d+)\})/
const LONGEST = 64

/** Counts the rows of a file of `spoor export runs`. Of an export in several files, only the last file has the end. */
export class ExportFile {
  readonly name: string
  rows = 0
  /** The rows of the whole export, as its last line states them. Null without such a line. */
  stated: number | null = null
  /** Whether lines follow the last line. */
  goesOn = false

  constructor(path: string) {
    this.name = path === '-' ? 'Standard input' : path
  }

  /** Counts the line as a row. False for one that ends an export. */
  countRow(line: SplitLine): boolean {
    this.goesOn ||= this.stated !== null
    const found = line.kind === 'line' ? LAST_LINE.exec(line.bytes.toString('latin1', 0, LONGEST)) : null
    if (found === null) this.rows += 1
    else this.stated = found[1] === undefined ? null : Number(found[1])
    return found === null
  }
}

/** Why files that were read to their ends are not whole exports, in a sentence each. */
export function describeBroken(files: readonly ExportFile[]): string[] {
  const joined = files.filter(({ goesOn }) => goesOn)
  const others = files.filter(({ goesOn, rows, stated }) => !goesOn && rows !== stated)
  const lasts = others.flatMap(({ stated }) => stated ?? [])
  // Files of one export together have the rows that its last line states.
  const areParts = lasts.length > 0 && sum(lasts) === sum(others.map(({ rows }) => rows))
  return [
    ...joined.map(({ name }) => `${name} goes on after the line that ends an export. Give each export its own file.`),
    ...(areParts ? [] : others.map(describeOther)),
  ]
}

function describeOther({ name, rows, stated }: ExportFile): string {
  const problem =
    stated === null
      ? `${name} has no last line that calls its export complete: the export broke off, or lines were taken from it.`
      : `${name} has another number of rows (${rows}) than its last line states (${stated}).`
  return `${problem} Import all files of an export together.`
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
