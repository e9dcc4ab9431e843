import { useQuery } from '@tanstack/react-query'
import Papa from 'papaparse'
import { useMemo } from 'react'
import { asApiError } from '../../api/client/api-error.ts'
import { TEXT_BYTES, mediaTextQuery } from '../../api/media.ts'
import { formatBytes, formatCount } from '../../lib/format-number.ts'
import { Skeleton } from '../../ui/states.tsx'
import { TextPart } from './text-part.tsx'

/** The beginning of a stored text: a table of separated values, JSON as a tree, or the text as it is. */
export function TextFile({ uri, isTable, sizeBytes }: { uri: string; isTable: boolean; sizeBytes: number | null }) {
  const { data: text, error } = useQuery(mediaTextQuery(uri))
  if (error !== null) return <p className="text-fail text-sm">{asApiError(error).message}</p>
  if (text === undefined) return <Skeleton className="h-24 w-full" />
  const isCut = sizeBytes !== null && sizeBytes > TEXT_BYTES
  return (
    <div className="space-y-1">
      <div className="max-h-96 overflow-auto rounded-md border p-2 text-sm" tabIndex={0}>
        {isTable ? <Table text={text} isCut={isCut} /> : <TextPart text={text} textStyle="code" formatted />}
      </div>
      {isCut && (
        <p className="text-muted text-xs">
          The first {formatBytes(TEXT_BYTES)} of {formatBytes(sizeBytes)}. Download the file to see all of it.
        </p>
      )}
    </div>
  )
}

const ROWS = 200
const COLUMNS = 50

function Table({ text, isCut }: { text: string; isCut: boolean }) {
  const { head, rows, left } = useMemo(() => {
    const { data } = Papa.parse<string[]>(text, { skipEmptyLines: true })
    // The last row may be incomplete.
    const whole = isCut ? data.slice(0, -1) : data
    return { head: whole[0] ?? [], rows: whole.slice(1, 1 + ROWS), left: Math.max(0, whole.length - 1 - ROWS) }
  }, [text, isCut])
  const cell = 'max-w-80 truncate px-2 py-0.5 whitespace-nowrap'
  return (
    <>
      <table className="text-xs tabular-nums">
        <thead>
          <tr className="border-b text-left">
            {head.slice(0, COLUMNS).map((name, at) => (
              <th key={at} scope="col" className={`${cell} font-medium`}>
                <bdi>{name}</bdi>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((values, row) => (
            <tr key={row} className="border-b last:border-0">
              {values.slice(0, COLUMNS).map((value, at) => (
                <td key={at} className={cell} title={value}>
                  <bdi>{value}</bdi>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {left > 0 && <p className="text-muted pt-1 text-xs">and {formatCount(left)} more rows</p>}
      {head.length > COLUMNS && (
        <p className="text-muted text-xs">and {formatCount(head.length - COLUMNS)} more columns</p>
      )}
    </>
  )
}
