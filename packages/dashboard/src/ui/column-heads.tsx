interface ColumnHeadsProps {
  /** Labels, some with classes of their own. `hidden`: only for screen readers. */
  readonly of: readonly (string | readonly [label: string, className: string, hidden?: 'hidden'])[]
  readonly className: string
}

/** The cells of a table's head. */
export function ColumnHeads({ of, className }: ColumnHeadsProps) {
  return of.map((head) => {
    const [label, more, hidden] = typeof head === 'string' ? ([head, ''] as const) : head
    return (
      <th key={label} scope="col" className={`${className} ${more}`}>
        {hidden === undefined ? label : <span className="sr-only">{label}</span>}
      </th>
    )
  })
}
