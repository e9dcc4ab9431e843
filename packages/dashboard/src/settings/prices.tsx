import type { Price } from '@spoor/contract/schemas/price'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { deletePrice, pricesQuery } from '../api/prices.ts'
import { useMay, useSession } from '../lib/hooks/use-session.ts'
import { Button } from '../ui/button.tsx'
import { Input, Select } from '../ui/field.tsx'
import { EmptyState, Loading } from '../ui/states.tsx'
import { useAction } from '../ui/use-action.ts'
import { findPrices, type PriceSource } from './find-prices.ts'
import { PriceForm } from './price-form.tsx'
import { PriceTable } from './price-table.tsx'
import { Section } from './section.tsx'

const route = getRouteApi('/app/settings')

export function Prices() {
  const { project_id } = useSession()
  const mayManage = useMay('manage')
  const { model } = route.useSearch()
  const navigate = route.useNavigate()
  const query = useQuery(pricesQuery(project_id))
  const { data: prices } = query
  const [text, setText] = useState('')
  const [source, setSource] = useState<PriceSource>('all')
  const [adding, setAdding] = useState(false)
  const reset = useAction((price: Price) => deletePrice(price.model), {
    refresh: [pricesQuery(project_id).queryKey],
    said: (_, price) => `Project price of ${price.model} removed`,
  })
  const edit = (next: string | undefined) => {
    setAdding(false)
    void navigate({ search: next === undefined ? { tab: 'prices' } : { tab: 'prices', model: next }, replace: true })
  }
  const builtInDay = prices?.find(({ effective_date }) => effective_date !== null)?.effective_date
  const found = prices === undefined ? [] : findPrices(prices, text, source)
  return (
    <Section
      title="Model prices"
      text={
        <>
          US dollars per million tokens. Costs are computed on read, so a new price also applies to past traces.{' '}
          {builtInDay !== undefined && <>Built-in prices were published by vendors up to {builtInDay}.</>}
        </>
      }
      actions={
        mayManage && (
          <Button icon={Plus} variant="primary" onClick={() => setAdding(true)}>
            Add price
          </Button>
        )
      }
    >
      <div className="flex flex-wrap items-center gap-2 px-4 pb-3">
        <Input
          type="search"
          aria-label="Find a model"
          placeholder="Find a model"
          className="max-w-64"
          value={text}
          onText={setText}
        />
        <Select
          aria-label="Price source"
          className="w-auto!"
          value={source}
          onChoice={setSource}
          options={{ all: 'All prices', project: 'Project prices', builtin: 'Built-in prices' }}
        />
        <span role="status" className="text-muted text-sm">
          {prices !== undefined &&
            (found.length === prices.length ? found.length : `${found.length} of ${prices.length}`)}
        </span>
      </div>
      {prices === undefined ? (
        <Loading query={query} rows={12} />
      ) : found.length === 0 ? (
        <EmptyState title={source === 'project' && text === '' ? 'No project prices yet' : 'No model matches'}>
          Steps whose model has no price have no cost. Add a price under the model name of the steps.
        </EmptyState>
      ) : (
        <PriceTable
          prices={found}
          {...(mayManage ? { onEdit: (price: Price) => edit(price.model), onReset: reset.mutate } : {})}
        />
      )}
      {mayManage && (adding || (model !== undefined && prices !== undefined)) && (
        <PriceForm
          key={model ?? ''}
          model={model}
          price={prices?.find((price) => price.model === model)}
          onClose={() => edit(undefined)}
        />
      )}
    </Section>
  )
}
