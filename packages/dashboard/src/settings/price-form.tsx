import type { Price } from '@spoor/contract/schemas/price'
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { billedPriceQuery, deletePrice, pricesQuery, putPrice } from '../api/prices.ts'
import { useSession } from '../lib/hooks/use-session.ts'
import { Button } from '../ui/button.tsx'
import { Field, Input } from '../ui/field.tsx'
import { FormEnd, FormModal } from '../ui/form.tsx'
import { useAction } from '../ui/use-action.ts'
import { formatRate, readRate } from './find-prices.ts'

interface PriceFormProps {
  /** Undefined to type it. */
  readonly model: string | undefined
  /** The price of exactly this model name. */
  readonly price: Price | undefined
  onClose(): void
}

const RATES = [
  {
    name: 'input_usd_per_million',
    label: 'Input',
    hint: 'Input tokens that were not read from or written to a cache.',
  },
  { name: 'output_usd_per_million', label: 'Output', hint: 'Includes reasoning tokens.' },
  { name: 'cache_read_usd_per_million', label: 'Cache read', hint: 'Default: the input price.' },
  { name: 'cache_write_usd_per_million', label: 'Cache write', hint: 'Default: the input price.' },
] as const
type RateName = (typeof RATES)[number]['name']

function byRate<T>(of: (name: RateName) => T): Record<RateName, T> {
  return Object.fromEntries(RATES.map(({ name }) => [name, of(name)])) as Record<RateName, T>
}

export function PriceForm({ model: given, price, onClose }: PriceFormProps) {
  const { project_id } = useSession()
  const [typed, setTyped] = useState('')
  const model = given ?? typed.trim()
  const [rates, setRates] = useState(() => byRate((name) => String(price?.[name] ?? '')))
  const refresh = [pricesQuery(project_id).queryKey]
  const reset = useAction(() => deletePrice(model), { onSuccess: onClose, refresh })
  // The service reports a missing rate by name.
  const send = () =>
    putPrice(
      model,
      byRate((name) => readRate(rates[name]) as number),
    )
  return (
    <FormModal
      title={given === undefined ? 'Add price' : 'Model price'}
      send={send}
      onClose={onClose}
      refresh={refresh}
      said={`Price of ${model} saved. All its costs are recomputed.`}
    >
      {given === undefined ? (
        <Field label="Model" hint={<Billed model={typed.trim()} />}>
          <Input autoFocus autoComplete="off" placeholder="as in its steps" value={typed} onText={setTyped} />
        </Field>
      ) : (
        <div>
          <p className="font-mono text-sm break-words">
            <bdi>{given}</bdi>
          </p>
          <p className="text-muted text-xs">
            <Billed model={given} />
          </p>
        </div>
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        {RATES.map(({ name, label, hint }) => (
          <Field key={name} label={`${label}, $ per 1M tokens`} hint={hint} at={`/${name}`}>
            <Input
              inputMode="decimal"
              autoComplete="off"
              className="tabular-nums"
              value={rates[name]}
              onText={(text) => setRates({ ...rates, [name]: text })}
            />
          </Field>
        ))}
      </div>
      <FormEnd submit="Save" disabled={model === ''} onCancel={onClose}>
        {price?.source === 'project' && (
          <Button variant="danger" className="mr-auto" disabled={reset.isPending} onClick={() => reset.mutate()}>
            Reset to built-in
          </Button>
        )}
      </FormEnd>
    </FormModal>
  )
}

function Billed({ model }: { model: string }) {
  const { project_id } = useSession()
  const deferredModel = useDeferredValue(model)
  const { data: price } = useQuery({ ...billedPriceQuery(project_id, deferredModel), enabled: deferredModel !== '' })
  if (deferredModel === '' || price === undefined) return <>The name in steps: openai/gpt-4o, my-own-model.</>
  if (price === null) return <>No price yet: its steps have no cost.</>
  const rates = `${formatRate(price.input_usd_per_million)} input, ${formatRate(price.output_usd_per_million)} output`
  const whose = price.source === 'project' ? 'project price' : 'built-in'
  return price.model === deferredModel ? (
    <>
      Now: {rates} ({whose}).
    </>
  ) : (
    <>
      Now priced as {price.model}: {rates} ({whose}).
    </>
  )
}
