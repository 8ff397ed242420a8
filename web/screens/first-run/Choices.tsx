/** A choice of cards, as radio buttons. */
interface Choice {
  readonly value: string
  readonly title: string
  readonly about: string
}

interface Props {
  readonly label: string
  readonly all: ReadonlyArray<Choice>
  readonly value: string
  readonly choose: (value: string) => void
}

export const Choices = ({ all, choose, label, value }: Props) => (
  <fieldset className="choices">
    <legend className="unseen">{label}</legend>
    {all.map((one) => (
      <label key={one.value} className="choice">
        <input
          type="radio"
          name={label}
          value={one.value}
          checked={value === one.value}
          onChange={() => choose(one.value)}
        />
        <b>{one.title}</b>
        <span>{one.about}</span>
      </label>
    ))}
  </fieldset>
)
