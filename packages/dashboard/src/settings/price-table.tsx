import type { Price } from '@spoor/contract/schemas/price'
import { Pencil } from 'lucide-react'
import { Badge } from '../ui/badge.tsx'
import { IconButton } from '../ui/button.tsx'
import { ConfirmButton } from '../ui/confirm.tsx'
import { formatRate } from './find-prices.ts'
import { TableHead } from '../ui/column-heads.tsx'
import { CELL, ROW, TABLE } from './section.tsx'

interface PriceTableProps {
  readonly prices: readonly Price[]
  /** Left out if the session may not edit prices. */
  readonly onEdit?: (price: Price) => void
  readonly onReset?: (price: Price) => void
}

const RATE = 'text-right tabular-nums whitespace-nowrap'

export function PriceTable({ prices, onEdit, onReset }: PriceTableProps) {
  return (
    <table className={`${TABLE} table-fixed`}>
      <TableHead
        of={[
          'Model',
          ['Input', 'w-20 text-right'],
          ['Output', 'w-20 text-right'],
          ['Cache read', 'hidden w-28 text-right lg:table-cell'],
          ['Cache write', 'hidden w-28 text-right lg:table-cell'],
          ['Source', 'hidden w-28 pl-6 md:table-cell'],
          ['Actions', 'w-12 md:w-32', 'hidden'],
        ]}
      />
      <tbody>
        {prices.map((price) => (
          <tr key={price.model} className={ROW}>
            <td className={`${CELL} font-mono text-xs break-words`}>
              <bdi>{price.model}</bdi>
            </td>
            <td className={`${CELL} ${RATE}`}>{formatRate(price.input_usd_per_million)}</td>
            <td className={`${CELL} ${RATE}`}>{formatRate(price.output_usd_per_million)}</td>
            <Cache rate={price.cache_read_usd_per_million} />
            <Cache rate={price.cache_write_usd_per_million} />
            <td className={`${CELL} hidden pl-6 md:table-cell`}>
              {price.source === 'project' ? <Badge tone="info">this project</Badge> : <Badge>built-in</Badge>}
            </td>
            <td className="px-2 py-1 text-right whitespace-nowrap">
              {onReset !== undefined && price.source === 'project' && (
                <ConfirmButton
                  variant="ghost"
                  className="hidden! h-7! md:inline-flex!"
                  title="Remove the project’s price?"
                  text={
                    <p className="break-words">
                      <bdi className="font-mono text-sm">{price.model}</bdi> will use its built-in price, or none if
                      there is none. All its costs are recomputed.
                    </p>
                  }
                  confirm="Remove"
                  onConfirm={() => onReset(price)}
                >
                  Reset<span className="sr-only"> {price.model}</span>
                </ConfirmButton>
              )}
              {onEdit !== undefined && (
                <IconButton
                  icon={Pencil}
                  className="[&>svg]:size-3.5 h-7!"
                  label={`Edit the price of ${price.model}`}
                  onClick={() => onEdit(price)}
                />
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Cache({ rate }: { rate: number | null }) {
  return (
    <td className={`${CELL} ${RATE} hidden lg:table-cell`}>
      {rate === null ? (
        <span className="text-muted" title="Input price">
          = input
        </span>
      ) : (
        formatRate(rate)
      )}
    </td>
  )
}
