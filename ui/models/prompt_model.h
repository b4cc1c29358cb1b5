// SPDX-License-Identifier: GPL-3.0-or-later
// One exchange's prompt, message by message, word for word as it was sent; each message folds.
#pragma once

#include "ui/models/exchange_store.h"
#include "ui/models/reading_model.h"
#include "ui/models/reply_blocks.h"

#include <vector>

namespace kf::ui {

class PromptModel : public ReadingModel {
    Q_OBJECT
public:
    using ReadingModel::ReadingModel;

    void show(std::shared_ptr<const ChatRequest> request); // null: nothing
    const ChatRequest* request() const { return m_request.get(); }
    void toggle(int row) override;
    QString text() const; // all messages, folded ones too

protected:
    QVariant row_data(const ReadingRow& row, int role) const override;

private:
    struct Message {
        bool open = true;
        ReplyBlocks blocks;
    };
    std::vector<ReadingRow> rows_of(int message) const;
    std::shared_ptr<const ChatRequest> m_request;
    std::vector<Message> m_messages;
};

} // namespace kf::ui
