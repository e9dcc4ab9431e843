import type { Price } from '@spoor/contract/schemas/price'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useDeferredValue, useState } from 'react'
import { asApiError } from '../api/client/api-error.ts'
import { billedPriceQuery, deletePrice, pricesQuery, putPrice } from '../api/prices.ts'
import { useSession } from '../lib/hooks/use-session.ts'
import { Button } from '../ui/button.tsx'
import { Field, Input } from '../ui/field.tsx'
import { FormError } from '../ui/form-error.tsx'
import { useToast } from '../ui/toasts.tsx'
import { formatRate, readRate } from './find-prices.ts'

interface PriceFormProps {
  /** Undefined to type it. */
  readonly model: string | undefined
  /** The price of exactly this model name. */
  readonly price: Price | undefined
  onDone(): void
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
const FIELDS = RATES.map(({ name }) => `/${name}`)

export function PriceForm({ model: given, price, onDone }: PriceFormProps) {
  const { project_id } = useSession()
  const queryClient = useQueryClient()
  const toast = useToast()
  const [typed, setTyped] = useState('')
  const model = given ?? typed.trim()
  const [rates, setRates] = useState<Readonly<Record<RateName, string>>>(() => {
    const text = (name: RateName) => String(price?.[name] ?? '')
    return {
      input_usd_per_million: text('input_usd_per_million'),
      output_usd_per_million: text('output_usd_per_million'),
      cache_read_usd_per_million: text('cache_read_usd_per_million'),
      cache_write_usd_per_million: text('cache_write_usd_per_million'),
    }
  })
  const onSuccess = () => {
    void queryClient.invalidateQueries({ queryKey: pricesQuery(project_id).queryKey })
    onDone()
  }
  const save = useMutation({
    mutationFn: () =>
      putPrice(model, {
        // The service reports a missing rate by name.
        input_usd_per_million: readRate(rates.input_usd_per_million) as number,
        output_usd_per_million: readRate(rates.output_usd_per_million) as number,
        cache_read_usd_per_million: readRate(rates.cache_read_usd_per_million),
        cache_write_usd_per_million: readRate(rates.cache_write_usd_per_million),
      }),
    onSuccess: () => {
      toast({ kind: 'ok', text: `Price of ${model} saved. All its costs are recomputed.` })
      onSuccess()
    },
  })
  const reset = useMutation({
    mutationFn: () => deletePrice(model),
    onSuccess,
    onError: (error) => toast({ kind: 'fail', text: asApiError(error).message }),
  })
  const problem = save.error === null ? null : asApiError(save.error)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <form onSubmit={submit} noValidate className="space-y-4">
      {given === undefined ? (
        <Field label="Model" hint={<Billed model={typed.trim()} />}>
          {(props) => (
            <Input
              {...props}
              autoFocus
              autoComplete="off"
              placeholder="as in its steps"
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
          )}
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
          <Field key={name} label={`${label}, $ per 1M tokens`} hint={hint} error={problem?.of(`/${name}`)}>
            {(props) => (
              <Input
                {...props}
                inputMode="decimal"
                autoComplete="off"
                className="tabular-nums"
                value={rates[name]}
                onChange={(event) => setRates({ ...rates, [name]: event.target.value })}
              />
            )}
          </Field>
        ))}
      </div>
      <FormError problem={problem} fields={FIELDS} />
      <div className="flex justify-end gap-2">
        {price?.source === 'project' && (
          <Button variant="danger" className="mr-auto" disabled={reset.isPending} onClick={() => reset.mutate()}>
            Reset to built-in
          </Button>
        )}
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" variant="primary" disabled={save.isPending || model === ''}>
          Save
        </Button>
      </div>
    </form>
  )
}

/** The price that applies to a model now. */
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
