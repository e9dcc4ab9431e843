import { isRawNumber } from '@spoor/payloads/exact-json'
import { type FoundPaths, NOTHING_FOUND } from './found-paths.ts'

/** One visible line of a JSON value. Paths are JSON Pointers ("" is the whole value). */
export type JsonRow =
  | {
      readonly kind: 'value'
      readonly path: string
      readonly depth: number
      /** The member name or element index; null for the whole value. */
      readonly name: string | number | null
      readonly value: unknown
      /** The number of members or elements; 0 for other values. */
      readonly size: number
      readonly open: boolean
    }
  | {
      readonly kind: 'more'
      readonly path: string
      readonly depth: number
      /** The container with more children. */
      readonly of: string
      readonly left: number
    }

export interface JsonFolds {
  /** Paths that the reader opened or closed, contrary to their default. */
  readonly toggled: ReadonlySet<string>
  /** The number of shown children of a container, if not CHILDREN. */
  readonly shown: ReadonlyMap<string, number>
}

export const NO_FOLDS: JsonFolds = { toggled: new Set(), shown: new Map() }

/** Children of a container that are shown at first. */
export const CHILDREN = 100

/** Containers with at most this many children, up to this depth, are open at first. */
const OPEN_SIZE = 30
const OPEN_DEPTH = 2

/** The visible lines. Children of closed containers are not visited, and large containers show a hundred at a time. */
export function jsonRows(value: unknown, { toggled, shown }: JsonFolds, found: FoundPaths = NOTHING_FOUND): JsonRow[] {
  const rows: JsonRow[] = []
  // A stack, not recursion: a value may be thousands deep.
  const stack: JsonRow[] = [row('', 0, null, value, toggled, found)]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    rows.push(next)
    if (next.kind === 'more' || !next.open || next.size === 0) continue
    const count = Math.min(next.size, Math.max(shown.get(next.path) ?? CHILDREN, found.shown.get(next.path) ?? 0))
    const children = childrenOf(next.value as object, count).map(([name, child]) =>
      row(`${next.path}/${escaped(name)}`, next.depth + 1, name, child, toggled, found),
    )
    if (count < next.size) {
      const { path, depth } = next
      children.push({ kind: 'more', path: `${path}/ more`, depth: depth + 1, of: path, left: next.size - count })
    }
    for (const child of children.toReversed()) stack.push(child)
  }
  return rows
}

/** A short preview of a closed container: `name: "x", size: 3, …`. */
export function previewOf(value: object, most: number): string {
  let text = ''
  for (const [name, child] of childrenOf(value, 12)) {
    const shownChild =
      typeof child === 'object' && child !== null
        ? Array.isArray(child)
          ? `[${child.length === 0 ? '' : '…'}]`
          : isRawNumber(child)
            ? child.rawJSON.slice(0, most)
            : '{…}'
        : JSON.stringify(typeof child === 'string' ? child.slice(0, most) : child)
    text += `${text === '' ? '' : ', '}${typeof name === 'number' ? '' : `${name}: `}${shownChild}`
    if (text.length > most) break
  }
  return text.length > most ? `${text.slice(0, most)}…` : text
}

function row(
  path: string,
  depth: number,
  name: string | number | null,
  value: unknown,
  toggled: ReadonlySet<string>,
  found: FoundPaths,
): JsonRow {
  const size = sizeOf(value)
  const openFromStart = depth === 0 || (depth < OPEN_DEPTH && size <= OPEN_SIZE) || found.open.has(path)
  return { kind: 'value', path, depth, name, value, size, open: size > 0 && openFromStart !== toggled.has(path) }
}

function sizeOf(value: unknown): number {
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return 0
  return Array.isArray(value) ? value.length : Object.keys(value).length
}

function childrenOf(value: object, most: number): [string | number, unknown][] {
  if (Array.isArray(value)) return value.slice(0, most).map((child, index) => [index, child as unknown])
  return Object.keys(value)
    .slice(0, most)
    .map((name) => [name, (value as Record<string, unknown>)[name]])
}

function escaped(name: string | number): string {
  return String(name).replaceAll('~', '~0').replaceAll('/', '~1')
}
