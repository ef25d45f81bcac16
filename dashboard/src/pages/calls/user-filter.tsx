import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { useOperation } from "../../api/queries.ts";
import { useApplicationId } from "../../shell/use-application-id.ts";
import { usersStrings } from "../users/strings.ts";
import { userName } from "../users/user-name.ts";
import { type CallPerson } from "./call-labels.tsx";
import { CallUserDocument, FindCallUsersDocument } from "./calls.generated.ts";
import { callsStrings } from "./strings.ts";

const texts = callsStrings;
/** Time without a key after which the users are searched, in milliseconds. */
const SEARCH_AFTER = 250;

/** Chooses a user by the beginning of a login or e-mail address. */
export function UserFilter({
  userId,
  onChange,
}: {
  /** Empty for anybody. */
  userId: string;
  onChange(userId: string): void;
}) {
  const applicationId = useApplicationId();
  const [typed, setTyped] = useState("");
  const [picked, setPicked] = useState({ value: "", label: "" });
  const isPicked = userId === picked.value;
  const chosen = useOperation(
    CallUserDocument,
    { applicationId, userId },
    { enabled: userId !== "" && !isPicked },
  );
  const user = chosen.data?.user;
  const chosenLabel = isPicked ? picked.label : user ? labelOf(user) : usersStrings.unnamed(userId);
  const [search] = useDebouncedValue(typed === chosenLabel ? "" : typed.trim(), SEARCH_AFTER);
  const found = useOperation(
    FindCallUsersDocument,
    { applicationId, search },
    { enabled: search !== "", keepPrevious: true },
  );
  const users = search === "" ? [] : (found.data?.application.users.nodes ?? []);
  const data = users.map((user) => ({ value: user.id, label: labelOf(user) }));
  if (userId && !data.some(({ value }) => value === userId)) {
    data.unshift({ value: userId, label: chosenLabel });
  }
  const hint = typed === "" ? texts.findUser : found.isFetching ? texts.findingUser : texts.noUser;
  return (
    <Select
      label={texts.filterUser}
      placeholder={texts.anybody}
      data={data}
      value={userId || null}
      onChange={(value, option) => {
        setPicked(option ?? { value: "", label: "" });
        onChange(value ?? "");
      }}
      searchValue={typed}
      onSearchChange={setTyped}
      // The service has searched.
      filter={({ options }) => options}
      nothingFoundMessage={hint}
      error={search !== "" && found.error ? found.error.message : undefined}
      searchable
      clearable
      clearButtonProps={{ "aria-label": texts.anybody }}
      w={{ base: "100%", xs: 250 }}
    />
  );
}

function labelOf(user: CallPerson): string {
  const name = userName(user);
  const { login, email } = user;
  const other = [login, email].find((each) => each && each !== name);
  return other ? `${name} (${other})` : name;
}
