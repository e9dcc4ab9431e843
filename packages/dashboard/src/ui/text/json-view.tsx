import { ChevronRight, Copy } from 'lucide-react'
import { type KeyboardEvent, useId, useMemo, useRef, useState } from 'react'
import { isRawNumber } from '@spoor/payloads/exact-json'
import { formatCount } from '../../lib/format-number.ts'
import { toggled } from '../../lib/toggled.ts'
import { foundPaths } from './found-paths.ts'
import { useFoundQuery } from './found-query.ts'
import { CHILDREN, type JsonFolds, type JsonRow, jsonRows, NO_FOLDS, previewOf } from './json-rows.ts'
import { LongText } from './long-text.tsx'
import { useCopy } from '../copy-button.tsx'

const INDENT = 14
const MAX_INDENTS = 20

type ValueRow = Extract<JsonRow, { kind: 'value' }>

/**
 * A JSON value (of `parseExactJson`, to show numbers as sent) as a tree with colours. One tab stop: arrow keys move,
 * open and close; `c` copies the value of the line. Only visible lines are rendered, and long containers show a hundred
 * children at a time, so size and depth cost little.
 */
export function JsonView({ value, label }: { value: unknown; label: string }) {
  const [folds, setFolds] = useState<JsonFolds>(NO_FOLDS)
  const [current, setCurrent] = useState('')
  const id = useId()
  const tree = useRef<HTMLDivElement>(null)
  const copyText = useCopy()
  const query = useFoundQuery()
  const found = useMemo(() => foundPaths(value, query), [value, query])
  const rows = useMemo(() => jsonRows(value, folds, found), [value, folds, found])
  const at = Math.max(
    0,
    rows.findIndex(({ path }) => path === current),
  )
  const toggle = (path: string) => setFolds({ ...folds, toggled: toggled(folds.toggled, path) })
  const more = (of: string) => {
    setFolds({ ...folds, shown: new Map(folds.shown).set(of, (folds.shown.get(of) ?? CHILDREN) + CHILDREN) })
  }
  const copy = ({ value: of }: ValueRow) =>
    copyText(typeof of === 'string' ? of : JSON.stringify(of, null, 2), 'Copied')
  const go = (index: number) => {
    const row = rows[Math.min(rows.length - 1, Math.max(0, index))]
    if (row === undefined) return
    setCurrent(row.path)
    document.getElementById(id + row.path)?.scrollIntoView({ block: 'nearest' })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== tree.current) return
    const row = rows[at] as JsonRow
    const does: Readonly<Record<string, () => unknown>> = {
      ArrowDown: () => go(at + 1),
      ArrowUp: () => go(at - 1),
      Home: () => go(0),
      End: () => go(rows.length - 1),
      ArrowRight: () => (row.kind === 'value' && row.size > 0 && !row.open ? toggle(row.path) : go(at + 1)),
      ArrowLeft: () => {
        if (row.kind === 'value' && row.open) toggle(row.path)
        else go(rows.findLastIndex(({ depth }, index) => index < at && depth < row.depth))
      },
      Enter: () => (row.kind === 'more' ? more(row.of) : row.size > 0 && toggle(row.path)),
      c: () => row.kind === 'value' && copy(row),
    }
    const run = does[event.key]
    if (run === undefined) return
    event.preventDefault()
    run()
  }
  return (
    <div
      ref={tree}
      role="tree"
      aria-label={label}
      tabIndex={0}
      onKeyDown={onKeyDown}
      aria-activedescendant={id + (rows[at] as JsonRow).path}
      className="group bg-sunken overflow-x-auto rounded-md border py-1 font-mono text-xs leading-5"
    >
      {rows.map((row) => (
        <div
          key={row.path}
          id={id + row.path}
          role="treeitem"
          aria-level={row.depth + 1}
          aria-selected={row.path === current}
          {...(row.kind === 'value' && row.size > 0 ? { 'aria-expanded': row.open } : {})}
          onClick={() => {
            setCurrent(row.path)
            if (row.kind === 'more') more(row.of)
            else if (row.size > 0) toggle(row.path)
          }}
          className={`group/line flex items-start pr-2 ${row.kind === 'more' || row.size > 0 ? 'hover:bg-hover cursor-pointer' : ''} aria-selected:group-focus-visible:bg-selected`}
          style={{ paddingLeft: 4 + Math.min(row.depth, MAX_INDENTS) * INDENT }}
        >
          {row.kind === 'more' ? (
            <span className="text-accent pl-4">
              Show {formatCount(Math.min(CHILDREN, row.left))} more of {formatCount(row.left)}
            </span>
          ) : (
            <JsonLine row={row} onCopy={() => void copy(row)} />
          )}
        </div>
      ))}
    </div>
  )
}

function JsonLine({ row, onCopy }: { row: ValueRow; onCopy: () => void }) {
  const { name, value, size, open, depth } = row
  return (
    <>
      <ChevronRight
        className={`text-muted mt-1 size-3 shrink-0 ${size === 0 ? 'invisible' : ''} ${open ? 'rotate-90' : ''}`}
        aria-hidden
      />
      <span className="min-w-0 flex-1 pl-1 wrap-anywhere whitespace-pre-wrap">
        {depth > MAX_INDENTS && <span className="text-muted">{depth} </span>}
        {name !== null && (
          <>
            <bdi className={typeof name === 'number' ? 'text-muted' : 'text-accent'}>{name}</bdi>
            <span className="text-muted">: </span>
          </>
        )}
        {typeof value === 'object' && value !== null && !isRawNumber(value) ? (
          <Container value={value} size={size} open={open} />
        ) : (
          <Scalar value={value} />
        )}
      </span>
      <button
        type="button"
        tabIndex={-1}
        title="Copy this value (c)"
        aria-label="Copy this value"
        onClick={(event) => {
          event.stopPropagation()
          onCopy()
        }}
        className="text-muted hover:text-ink invisible shrink-0 p-0.5 group-hover/line:visible"
      >
        <Copy className="size-3.5" aria-hidden />
      </button>
    </>
  )
}

function Container({ value, size, open }: { value: object; size: number; open: boolean }) {
  const list = Array.isArray(value)
  if (size === 0) return <span className="text-muted">{list ? '[]' : '{}'}</span>
  const count = `${formatCount(size)} ${list ? (size === 1 ? 'item' : 'items') : size === 1 ? 'field' : 'fields'}`
  return (
    <span className="text-muted">
      {list ? '[' : '{'}
      {open ? ` ${count}` : `${previewOf(value, 90)}${list ? ']' : '}'} ${count}`}
    </span>
  )
}

function Scalar({ value }: { value: unknown }) {
  if (typeof value === 'string') {
    return (
      <span className="text-ok">
        &quot;
        <LongText text={value} />
        &quot;
      </span>
    )
  }
  if (isRawNumber(value)) {
    return (
      <span className="text-info">
        <LongText text={value.rawJSON} />
      </span>
    )
  }
  return <span className={typeof value === 'number' ? 'text-info' : 'text-step-llm'}>{String(value)}</span>
}
