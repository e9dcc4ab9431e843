import {
  ArrowUpDown,
  Binary,
  Bot,
  CircleDot,
  Database,
  Gauge,
  Link2,
  type LucideIcon,
  ShieldCheck,
  Sparkles,
  Wrench,
} from 'lucide-react'

interface StepKind {
  readonly Icon: LucideIcon
  readonly text: string
  readonly bar: string
}

const OTHER: StepKind = { Icon: CircleDot, text: 'text-step-other', bar: 'bg-step-other' }

const KINDS: ReadonlyMap<string, StepKind> = new Map(
  Object.entries({
    llm: { Icon: Sparkles, text: 'text-step-llm', bar: 'bg-step-llm' },
    tool: { Icon: Wrench, text: 'text-step-tool', bar: 'bg-step-tool' },
    retrieval: { Icon: Database, text: 'text-step-retrieval', bar: 'bg-step-retrieval' },
    agent: { Icon: Bot, text: 'text-step-agent', bar: 'bg-step-agent' },
    chain: { Icon: Link2, text: 'text-step-chain', bar: 'bg-step-chain' },
    embedding: { Icon: Binary, text: 'text-step-embedding', bar: 'bg-step-embedding' },
    rerank: { Icon: ArrowUpDown, text: 'text-step-rerank', bar: 'bg-step-rerank' },
    guardrail: { Icon: ShieldCheck, text: 'text-step-guardrail', bar: 'bg-step-guardrail' },
    evaluator: { Icon: Gauge, text: 'text-step-evaluator', bar: 'bg-step-evaluator' },
  }),
)

/** How a type of step looks; types are open, and those of the user's own look like `other`. */
export function kindOf(type: string): StepKind {
  return KINDS.get(type) ?? OTHER
}
