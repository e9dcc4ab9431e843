import icon from '../icon.svg'

/** The track of an animal: a spoor. */
export function Mark({ className = '' }: { className?: string }) {
  return <img src={icon} alt="" className={className} />
}
