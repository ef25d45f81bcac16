import { Button, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { useChange, useOperation } from "../../../api/queries.ts";
import { DestroyDialog } from "../../../components/destroy-dialog.tsx";
import { EmptyState } from "../../../components/empty-state.tsx";
import type { Column } from "../../../components/entry-list.tsx";
import { ErrorPanel } from "../../../components/error-panel.tsx";
import { KeysetList, usePagePosition } from "../../../components/keyset-list.tsx";
import { formatDate } from "../../../formats.ts";
import { Missing, Moment } from "../cells.tsx";
import { userStrings } from "./strings.ts";
import {
  DeleteUserDeviceDocument,
  UserDevicesDocument,
  type UserDevicesQuery,
} from "./user.generated.ts";
import type { UserRef } from "./user-ref.ts";

const texts = userStrings;
type Row = UserDevicesQuery["application"]["pushSubscriptions"]["nodes"][number];

/** The devices that get pushes to the user, without their tokens. */
export function DevicesTab({ of: { applicationId, user, canChange } }: { of: UserRef }) {
  const position = usePagePosition();
  const userId = user.id;
  const query = useOperation(
    UserDevicesDocument,
    { applicationId, userId, ...position },
    { keepPrevious: true },
  );
  const [removing, setRemoving] = useState<Row | null>(null);
  const { mutate, error } = useChange(DeleteUserDeviceDocument, [UserDevicesDocument]);
  const remove = ({ id }: Row) =>
    mutate(
      { input: { id } },
      {
        onSuccess: () => notifications.show({ message: texts.deviceRemoved, color: "green" }),
      },
    );
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {texts.devicesText}
      </Text>
      {error && <ErrorPanel error={error} />}
      <KeysetList
        query={query}
        page={query.data?.application.pushSubscriptions}
        label={texts.devicesLabel}
        columns={canChange ? [...COLUMNS, removeColumn(setRemoving)] : COLUMNS}
        rowKey={({ id }) => id}
        empty={<EmptyState title={texts.devicesEmpty} text={texts.devicesEmptyText} />}
      />
      <DestroyDialog
        opened={removing !== null}
        onClose={() => setRemoving(null)}
        title={texts.deviceRemoveTitle}
        lead={texts.endsText}
        lost={texts.deviceRemoveLost}
        action={texts.deviceRemoveSubmit}
        onConfirm={() => removing && remove(removing)}
      />
    </Stack>
  );
}

const COLUMNS: readonly Column<Row>[] = [
  {
    key: "device",
    title: texts.device,
    render: ({ platform, udid }) => (
      <>
        <Text size="sm" fw={600}>
          {texts.platforms[platform]}
        </Text>
        <Text size="xs" c="dimmed" truncate title={udid} maw={200}>
          {udid}
        </Text>
      </>
    ),
  },
  { key: "channel", title: texts.channel, render: ({ channel }) => texts.channels[channel] },
  {
    key: "app",
    title: texts.app,
    render: ({ bundleId, environment }) => (
      <>
        <Text size="sm" className="breakable">
          {bundleId ?? <Missing text={texts.appUnknown} />}
        </Text>
        <Text size="xs" c="dimmed">
          {texts.environments[environment]}
        </Text>
      </>
    ),
  },
  {
    key: "since",
    title: texts.deviceSince,
    render: ({ createdAt }) => formatDate(createdAt),
    wideOnly: true,
  },
  {
    key: "last",
    title: texts.deviceLast,
    render: ({ updatedAt }) => <Moment time={updatedAt} />,
  },
];

function removeColumn(remove: (row: Row) => void): Column<Row> {
  return {
    key: "remove",
    title: texts.actions,
    align: "right",
    render: (row) => (
      <Button
        variant="subtle"
        color="red"
        size="compact-sm"
        aria-label={texts.deviceRemoveLabel(texts.platforms[row.platform], row.id)}
        onClick={() => remove(row)}
      >
        {texts.deviceRemove}
      </Button>
    ),
  };
}
