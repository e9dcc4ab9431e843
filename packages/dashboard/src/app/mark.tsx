import icon from '../icon.svg'

/** The track of an animal, which is what a spoor is. */
export function Mark({ className = '' }: { className?: string }) {
  return <img src={icon} alt="" className={className} />
}
