from django.urls import path

from campaigns.collection.topic_addresses import TOPIC
from campaigns.pages import (
    counterfactual,
    dashboard,
    deletion,
    documents,
    duplicates,
    history,
    home,
    places,
    planner,
    webhooks,
)
from campaigns.pages.participants import leaderboard, team, teams
from campaigns.pages.people import assessor, emails, invitations, people, questions
from campaigns.pages.quality import adjudication, quality, training
from campaigns.pages.results import exports, figures, report
from campaigns.pages.runs import engines, pairs, runs
from campaigns.pages.runs import table as run_table
from campaigns.pages.setup import collection, copying, examples, forms, setup
from campaigns.pages.topics import actions as topic_actions
from campaigns.pages.topics import order as topic_order
from campaigns.pages.topics import topic, topics

app_name = "campaigns"

urlpatterns = [
    path("", home.campaigns, name="list"),
    path("new/", forms.new, name="new"),
    path("new/bundle/", exports.upload, name="new-from-bundle"),
    path("<slug:slug>/", dashboard.dashboard, name="dashboard"),
    path("<slug:slug>/overview/", dashboard.overview, name="overview"),
    path("<slug:slug>/setup/", setup.setup, name="setup"),
    path("<slug:slug>/source/", collection.source, name="source"),
    path("<slug:slug>/setup/drop-documents/", setup.drop_documents, name="drop-documents"),
    path("<slug:slug>/setup/drop-topics/", setup.drop_topics, name="drop-topics"),
    path("<slug:slug>/setup/dataset/", collection.dataset, name="dataset"),
    path("<slug:slug>/setup/at/", setup.remember_step, name="setup-at"),
    path("<slug:slug>/setup/save/<slug:step>/", setup.save_step, name="setup-save"),
    path("<slug:slug>/setup/<slug:part>/", setup.part, name="setup-part"),
    path("<slug:slug>/move/", setup.move, name="move"),
    path("<slug:slug>/places/", places.places, name="places"),
    path("<slug:slug>/curves/", runs.curves, name="curves"),
    path("<slug:slug>/pair/", pairs.pair, name="pair"),
    path("<slug:slug>/runs/", run_table.runs, name="runs"),
    path("<slug:slug>/runs/<int:run>/", runs.run, name="run"),
    path("<slug:slug>/engines/", engines.engines, name="engines"),
    path("<slug:slug>/engines/pulls/", engines.engine_pulls, name="engine-pulls"),
    path("<slug:slug>/engines/<int:engine>/", engines.engine, name="engine"),
    path("<slug:slug>/runs/<int:run>/remove/", setup.remove_run, name="remove-run"),
    path("<slug:slug>/settings/", forms.settings, name="settings"),
    path("<slug:slug>/copy/", copying.copy, name="copy"),
    path("<slug:slug>/delete/", deletion.delete, name="delete"),
    path("<slug:slug>/examples/", examples.examples, name="examples"),
    path("<slug:slug>/training/", training.training, name="training"),
    path("<slug:slug>/assign/", topic_actions.change_topics, name="assign"),
    path("<slug:slug>/topics/", topics.topics, name="topics"),
    path("<slug:slug>/topics/order/", topic_order.topic_order, name="topic-order"),
    # A docno is a parameter.
    path(f"<slug:slug>/topics/{TOPIC}/why/", documents.document_in_queue, name="why"),
    path(f"<slug:slug>/topics/{TOPIC}/", topic.topic, name="topic"),
    path("<slug:slug>/documents/", documents.documents, name="documents"),
    path("<slug:slug>/documents/duplicates/", duplicates.duplicates, name="duplicates"),
    path("<slug:slug>/document/", documents.document, name="document"),
    path("<slug:slug>/planner/", planner.planner, name="planner"),
    path("<slug:slug>/planner/found/", planner.planner_progress, name="planner-found"),
    path("<slug:slug>/counterfactual/", counterfactual.counterfactual, name="counterfactual"),
    path("<slug:slug>/counterfactual/found/", counterfactual.progress, name="counterfactual-found"),
    path("<slug:slug>/counterfactual/<slug:which>.json", counterfactual.trajectory, name="trajectory"),
    path("<slug:slug>/people/", people.people, name="people"),
    path("<slug:slug>/questions/", questions.questions, name="questions"),
    path("<slug:slug>/invitations/", invitations.invitations, name="invitations"),
    path("<slug:slug>/quality/", quality.quality, name="quality"),
    path("<slug:slug>/policies/", adjudication.effects, name="policy-effects"),
    path("<slug:slug>/adjudicate/", adjudication.adjudicate, name="adjudicate"),
    path("<slug:slug>/history/", history.history, name="history"),
    path("<slug:slug>/history/<slug:form>/", history.export, name="history-export"),
    path("<slug:slug>/people/<str:username>/", assessor.assessor, name="assessor"),
    path("<slug:slug>/teams/", teams.teams, name="teams"),
    path("<slug:slug>/teams/runs/<int:submission>/", teams.submitted_file, name="submitted-file"),
    path("<slug:slug>/team/", team.team, name="team"),
    path("<slug:slug>/team/runs/<int:submission>/", team.file, name="team-file"),
    path("<slug:slug>/team/runs/<int:submission>/receipt/", team.receipt, name="receipt"),
    path("<slug:slug>/team/runs/<int:submission>/receipt.txt", team.receipt_file, name="receipt-file"),
    path("<slug:slug>/team/topics.<slug:ending>", team.topics, name="team-topics"),
    path("<slug:slug>/team/scores/", team.scores, name="team-scores"),
    path("<slug:slug>/leaderboard/", leaderboard.leaderboard, name="leaderboard"),
    path("<slug:slug>/mails/", emails.emails, name="mails"),
    path("<slug:slug>/webhooks/", webhooks.webhooks, name="webhooks"),
    path("<slug:slug>/webhooks/<int:webhook>/", webhooks.webhook, name="webhook"),
    path("<slug:slug>/webhooks/<int:webhook>/deliveries/", webhooks.deliveries, name="deliveries"),
    path("<slug:slug>/exports/", exports.exports, name="exports"),
    path("<slug:slug>/exports/report/", report.report, name="report"),
    path("<slug:slug>/exports/report.pdf", report.report_file, name="report-file"),
    path("<slug:slug>/exports/figures/<slug:figure>/", figures.preview, name="figure-preview"),
    path("<slug:slug>/exports/figures/<slug:figure>/file/", figures.figure, name="figure-file"),
    path("<slug:slug>/exports/figures/<slug:figure>.<slug:kind>", figures.figure, name="figure"),
    path("<slug:slug>/exports/bundle/", exports.bundle, name="bundle"),
    path("<slug:slug>/exports/<slug:what>/", exports.export, name="export"),
]
