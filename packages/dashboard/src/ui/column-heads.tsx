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

interface TableHeadProps extends Omit<ColumnHeadsProps, 'className'> {
  readonly className?: string
  /** Classes of each cell. */
  readonly cell?: string
}

export function TableHead({ of, cell = 'px-2 py-2 first:pl-4 last:pr-4', className = '' }: TableHeadProps) {
  return (
    <thead className={`text-muted border-b text-left text-xs ${className}`}>
      <tr>
        <ColumnHeads className={`${cell} font-medium`} of={of} />
      </tr>
    </thead>
  )
}
