import type { Delivery } from '@spoor/contract/schemas/delivery'
import { useRef } from 'react'
import { useRowKeys } from '../../lib/hooks/use-row-keys.ts'
import { TableHead } from '../../ui/column-heads.tsx'
import { DeliveryRow } from './delivery-row.tsx'

export function DeliveryTable({ rows, openId }: { rows: readonly Delivery[]; openId: string | undefined }) {
  const table = useRef<HTMLTableElement>(null)
  useRowKeys('Deliveries', table)
  return (
    <div className="@container">
      <table ref={table} className="w-full table-fixed text-left text-sm">
        <TableHead
          of={[
            'Event',
            ['Status', 'w-24 @2xl:w-28'],
            ['Last response', 'hidden w-44 @2xl:table-cell'],
            ['Attempts', 'hidden w-20 text-right @2xl:table-cell'],
            ['Duration', 'hidden w-24 text-right @2xl:table-cell'],
            ['Next attempt', 'hidden w-32 text-right @2xl:table-cell'],
            ['Created', 'w-28 text-right'],
          ]}
        />
        <tbody>
          {rows.map((delivery) => (
            <DeliveryRow key={delivery.id} delivery={delivery} open={delivery.id === openId} />
          ))}
        </tbody>
      </table>
    </div>
  )
}
