import { existsSync, readFileSync } from 'node:fs'

const AIRLINE_RUNS = new URL('../../../shared/data/airline-traces.jsonl', import.meta.url)

/** Bodies of the airline runs if they are beside the checkout, else of 160 runs of one name. */
export function manyRuns(): string[] {
  if (existsSync(AIRLINE_RUNS)) return readFileSync(AIRLINE_RUNS, 'utf8').trim().split('\n')
  const said = (role: string, text: string) => ({ role, content: [{ type: 'text', text }] })
  return Array.from({ length: 160 }, (_, i) => {
    const messages = [said('user', `Book flight ${i}.`), said('assistant', `Flight ${i} is booked.`)]
    return JSON.stringify({ name: 'airline agent', metadata: { task_id: i }, steps: [{ name: 'turn', messages }] })
  })
}
